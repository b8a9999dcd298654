import { join } from "@prisma/client/runtime/client";
import { z } from "zod";
import { sessionEventBodySchema } from "../../core/events/session-event.ts";
import { type ThreadRef, threadRefSchema } from "../../core/platform/thread.ts";
import { type ContentBlock, contentBlockSchema } from "../../core/protocol/messages.ts";
import type { Client, Stored } from "../../core/store/database/client.ts";
import { peopleNamed, USAGE_SUMS, type UsageSum, usageSumOf } from "../../core/store/ledger/usage-report.ts";
import { GONE_KEY, generationsFrom, MAX_GENERATIONS } from "../../core/store/run/session-tree.ts";
import { OPEN_RUN } from "../../core/store/runs.ts";
import { commandAsTitle } from "../../core/text/command-as-title.ts";
import { fromJson } from "../../core/text/from-json.ts";

/** A channel with sessions. */
export interface ChannelRow {
  /** `slack:C1` */
  readonly id: string;
  /** `slack:T1` */
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly name: string;
  readonly kind: string;
}

export interface ThreadRow {
  readonly id: string;
  readonly channel: ChannelRow;
  readonly thread: ThreadRef;
  readonly agent: string;
  /** Ids of people who have addressed the agent here. */
  readonly people: readonly string[];
  readonly updatedAt: number;
  /** The session is being deleted and is not shown to anybody. */
  readonly isGone: boolean;
}

export interface RowFilter {
  /** `slack:C1`; empty for all channels. */
  readonly channel: string;
  /** Channels to leave out. */
  readonly without: ReadonlySet<string>;
  readonly person: string;
  readonly agent: string;
  /** Only sessions with open runs, including those of their sub-agents. */
  readonly isOpen: boolean;
  readonly after: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
}

export interface Page {
  readonly rows: readonly ThreadRow[];
  /** Ids of sessions that are left out because their rows cannot be read. */
  readonly unreadable: readonly string[];
  /** Where the next page continues; null after the last. */
  readonly next: RowFilter["after"];
}

/** The outcome of the newest run; `outcome` is null while it runs. */
export interface NewestRun {
  readonly id: string;
  readonly outcome: string | null;
}

export interface MessageRow {
  readonly id: string;
  readonly runId: string;
  readonly isOurs: boolean;
  readonly content: readonly ContentBlock[];
  readonly authorId: string | null;
  readonly authorName: string;
  readonly at: number;
}

export function saidKey(authorId: string, at: number): string {
  return `${at} ${authorId}`;
}

const peopleSchema = z.array(z.string());
const saidSchema = z.array(z.object({ sessionId: z.string(), content: z.string() }));
const blocksSchema = z.array(z.object({ type: z.string(), text: z.string().optional() }));

/** Reads the sessions of all channels. */
export function consoleReads(db: Client) {
  return {
    ...named(db),
    ...figures(db),
    ...spending(db),
    ...texts(db),

    /** Channels with sessions, most recently active first. */
    async channels(): Promise<ChannelRow[]> {
      const busiest = await db.session.groupBy({
        by: ["channelId"],
        where: { parentId: null },
        _max: { updatedAt: true },
        orderBy: { _max: { updatedAt: "desc" } },
      });
      const rows = await db.channel.findMany({ include: { workspace: true } });
      const byId = new Map(rows.map((row) => [row.id, toChannel(row)]));
      return busiest.flatMap(({ channelId }) => byId.get(channelId) ?? []);
    },

    /** Sessions other than sub-agents', most recently active first. */
    async page({ channel, without, person, agent, isOpen, after, limit }: RowFilter): Promise<Page> {
      const open = isOpen ? await openRoots(db) : null;
      const rows = await db.session.findMany({
        where: {
          parentId: null,
          key: { not: { startsWith: GONE_KEY } },
          channelId: { notIn: [...without], ...(channel === "" ? {} : { equals: channel }) },
          ...(person === "" ? {} : { people: { contains: JSON.stringify(person) } }),
          ...(agent === "" ? {} : { agent }),
          ...(open === null ? {} : { id: { in: open } }),
          ...behind(after),
        },
        orderBy: [{ updatedAt: "desc" }, { id: "desc" }],
        take: limit,
        include: { channel: { include: { workspace: true } } },
      });
      const threads = rows.flatMap((row) => toThread(row) ?? []);
      const [last, known] = [rows.at(-1), new Set(threads.map(({ id }) => id))];
      return {
        rows: threads,
        unreadable: rows.map(({ id }) => id).filter((id) => !known.has(id)),
        next: last === undefined || rows.length < limit ? null : { at: last.updatedAt.getTime(), id: last.id },
      };
    },

    /** Finds sub-agents' sessions, too; null if there is none that can be read. */
    async get(id: string): Promise<(ThreadRow & { readonly parentId: string | null }) | null> {
      const row = await db.session.findUnique({
        where: { id },
        include: { channel: { include: { workspace: true } } },
      });
      const thread = row === null ? null : toThread(row);
      return row === null || thread === null ? null : { ...thread, parentId: row.parentId };
    },

    /** Agents and initiators of the sessions in these channels. */
    async choices(channelIds: readonly string[]): Promise<{ agents: string[]; people: string[] }> {
      const where = { parentId: null, channelId: { in: [...channelIds] } };
      const rows = await db.session.groupBy({ by: ["agent", "createdBy"], where });
      const sorted = (all: readonly string[]) => [...new Set(all)].toSorted();
      return { agents: sorted(rows.map(({ agent }) => agent)), people: sorted(rows.map((row) => row.createdBy)) };
    },
  };
}

/** Filter for the rows after a cursor, newest first. */
function behind(after: RowFilter["after"]) {
  if (after === null) return {};
  const updatedAt = new Date(after.at);
  // SQLite can start its index scan at this bound; with the alternatives alone it would scan everything newer.
  return {
    AND: { updatedAt: { lte: updatedAt } },
    OR: [{ updatedAt: { lt: updatedAt } }, { updatedAt, id: { lt: after.id } }],
  };
}

function named(db: Client) {
  return {
    async channelsAmong(ids: readonly string[]): Promise<ChannelRow[]> {
      const where = { id: { in: [...ids] } };
      return (await db.channel.findMany({ where, include: { workspace: true } })).map(toChannel);
    },

    /** Existing sessions among these ids, including sub-agents'. */
    async among(ids: readonly string[]): Promise<ThreadRow[]> {
      const rows = await db.session.findMany({
        where: { id: { in: [...ids] } },
        include: { channel: { include: { workspace: true } } },
      });
      return rows.flatMap((row) => toThread(row) ?? []);
    },
  };
}

function figures(db: Client) {
  return {
    /** Each session with all its sub-agents, itself first. */
    async families(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
      const families = new Map(ids.map((id) => [id, [id]]));
      const rootOf = new Map(ids.map((id) => [id, id]));
      for await (const generation of generationsFrom(db, ids)) {
        for (const { id, parentId } of generation) {
          const root = rootOf.get(parentId ?? "");
          if (root === undefined || rootOf.has(id)) continue;
          rootOf.set(id, root);
          families.get(root)?.push(id);
        }
      }
      return families;
    },

    async newestRuns(ids: readonly string[]): Promise<ReadonlyMap<string, NewestRun>> {
      const newest = await db.run.groupBy({
        by: ["sessionId"],
        where: { sessionId: { in: [...ids] } },
        _max: { eventSeq: true },
      });
      const rows = await db.run.findMany({
        where: { eventSeq: { in: newest.flatMap(({ _max: { eventSeq } }) => eventSeq ?? []) } },
        select: { id: true, sessionId: true, status: true, outcome: true },
      });
      return new Map(
        rows.map(({ id, sessionId, status, outcome }) => [
          sessionId,
          { id, outcome: status === "ended" ? (outcome ?? "error") : null },
        ]),
      );
    },

    /** Sessions among these that wait for a person. */
    async asking(ids: readonly string[]): Promise<ReadonlySet<string>> {
      const sessionId = { in: [...ids] };
      const [approvals, questions] = await Promise.all([
        db.approval.findMany({ where: { sessionId, status: "pending" }, select: { sessionId: true } }),
        db.question.findMany({ where: { sessionId, status: "open" }, select: { sessionId: true } }),
      ]);
      return new Set([...approvals, ...questions].map((row) => row.sessionId));
    },
  };
}

function spending(db: Client) {
  return {
    async spent(ids: readonly string[]): Promise<ReadonlyMap<string, UsageSum>> {
      const where = { sessionId: { in: [...ids] } };
      const rows = await db.usage.groupBy({ by: ["sessionId"], where, ...USAGE_SUMS });
      return new Map(rows.map((row) => [row.sessionId, usageSumOf(row)]));
    },
  };
}

function texts(db: Client) {
  return {
    /** The newest messages, oldest first, and the total count. */
    async messages(sessionId: string, limit: number): Promise<{ rows: MessageRow[]; count: number }> {
      const [rows, count] = await Promise.all([
        db.message.findMany({ where: { sessionId }, orderBy: { seq: "desc" }, take: limit }),
        db.message.count({ where: { sessionId } }),
      ]);
      return { rows: rows.toReversed().map(toMessage), count };
    },

    /** What people said to a session in their original words, by `saidKey`. */
    async said(sessionId: string): Promise<ReadonlyMap<string, string>> {
      const rows = await db.inboxEvent.findMany({ where: { sessionId }, select: { body: true } });
      return new Map(
        rows.flatMap(({ body }) => {
          const { data } = sessionEventBodySchema.safeParse(fromJson(body));
          return data?.kind === "message" ? [[saidKey(data.author.id, data.at), data.text]] : [];
        }),
      );
    },

    /** The words that started each session. */
    async titles(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const first = await db.inboxEvent.groupBy({
        by: ["sessionId"],
        where: { sessionId: { in: [...ids] } },
        _min: { seq: true },
      });
      const rows = await db.inboxEvent.findMany({
        where: { seq: { in: first.flatMap(({ _min: { seq } }) => seq ?? []) } },
        select: { sessionId: true, body: true },
      });
      return new Map(rows.map(({ sessionId, body }) => [sessionId, wordsOf(body)]));
    },

    /** Sessions among these with a message that contains the words, in any case. */
    async saying(ids: readonly string[], words: string): Promise<ReadonlySet<string>> {
      const wanted = words.toLowerCase();
      // The longest part of the words that JSON does not escape and whose case every database can convert.
      const [plain = ""] = wanted.split(/[^ !#$&-[\]^`-~]/u).toSorted((a, b) => b.length - a.length);
      const found: unknown = await db.$queryRaw`
        SELECT "sessionId", "content" FROM "Message"
        WHERE "sessionId" IN (${join([...ids])}) AND lower("content") LIKE ${`%${plain}%`}`;
      const rows = saidSchema.parse(found);
      const holds = (content: string): boolean =>
        blocksSchema
          .safeParse(fromJson(content))
          .data?.some(({ type, text }) => type === "text" && text?.toLowerCase().includes(wanted) === true) === true;
      return new Set(rows.flatMap(({ sessionId, content }) => (holds(content) ? [sessionId] : [])));
    },

    namesOf: (ids: readonly string[]) => peopleNamed(db, ids),
  };
}

/** Sessions with a run that has not ended, in them or in a sub-agent. */
async function openRoots(db: Client): Promise<string[]> {
  const runs = await db.run.findMany({ where: { status: { in: [...OPEN_RUN] } }, select: { sessionId: true } });
  const roots = new Set<string>();
  let level = [...new Set(runs.map(({ sessionId }) => sessionId))];
  for (let generation = 0; level.length > 0 && generation < MAX_GENERATIONS; generation += 1) {
    const rows = await db.session.findMany({ where: { id: { in: level } }, select: { id: true, parentId: true } });
    for (const { id, parentId } of rows) if (parentId === null) roots.add(id);
    level = rows.flatMap(({ parentId }) => parentId ?? []);
  }
  return [...roots];
}

function wordsOf(body: string): string {
  const parsed = sessionEventBodySchema.safeParse(fromJson(body));
  if (!parsed.success) return "";
  const event = parsed.data;
  if (event.kind === "message") return commandAsTitle(event.text);
  // In brackets before the owner's words stands what the agent is told about the job.
  if (event.kind === "job") return event.prompt.replace(/^\[.*?\]\n\n/u, "");
  return event.kind === "child" ? event.task.description : "";
}

function toMessage({ id, runId, role, content, authorId, authorName, createdAt }: Stored<"Message">): MessageRow {
  return {
    id,
    runId,
    isOurs: role === "assistant",
    content: z.array(contentBlockSchema).parse(JSON.parse(content)),
    authorId,
    authorName: authorName ?? authorId ?? "",
    at: createdAt.getTime(),
  };
}

type StoredChannel = Stored<"Channel"> & { readonly workspace: Stored<"Workspace"> };

function toChannel({ id, workspaceId, name, kind, workspace }: StoredChannel): ChannelRow {
  return { id, workspaceId, workspaceName: workspace.name, name, kind };
}

/** Null if the row cannot be read, so that it does not keep the others from being listed. */
function toThread(row: Stored<"Session"> & { readonly channel: StoredChannel }): ThreadRow | null {
  const thread = threadRefSchema.safeParse(fromJson(row.thread)).data;
  const people = peopleSchema.safeParse(fromJson(row.people)).data;
  if (thread === undefined || people === undefined) return null;
  return {
    id: row.id,
    channel: toChannel(row.channel),
    thread,
    agent: row.agent,
    people,
    updatedAt: row.updatedAt.getTime(),
    isGone: row.key.startsWith(GONE_KEY),
  };
}
