import { z } from "zod";
import { type ChildTask, childTaskSchema } from "../events/child-task.ts";
import {
  changedSettings,
  type SessionSettings,
  type SettingsChange,
  sessionSettingsSchema,
} from "../events/session-settings.ts";
import { StoreError } from "../protocol/errors.ts";
import {
  channelKeyOf,
  type PlatformName,
  sessionKeyOf,
  type ThreadRef,
  threadRefSchema,
} from "../protocol/platform.ts";
import { commandAsTitle } from "../text/command-as-title.ts";
import { fromJson } from "../text/from-json.ts";
import { type Client, found, type Stored } from "./database/client.ts";
import type { KnownChannels } from "./known-channels.ts";

/** A session that asks for a place. */
export interface Applicant {
  readonly sessionId: string;
  /** Whose it is. */
  readonly personId: string;
  readonly channelKey: string;
}

export interface SessionRow {
  readonly id: string;
  readonly key: string;
  readonly thread: ThreadRef;
  readonly channelKey: string;
  readonly agent: string;
  /** Ids of people who have addressed the agent here. */
  readonly people: readonly string[];
  /** What people have set for it. */
  readonly settings: SessionSettings;
  /** What a sub-agent was begun for; absent: the session is none. */
  readonly task?: ChildTask;
}

export interface PersonsSessions {
  readonly platform: PlatformName;
  readonly since: number;
  readonly limit: number;
}

export interface PersonsSession {
  readonly thread: ThreadRef;
  /** The first words of the message that began it; empty when something else did. */
  readonly title: string;
  readonly updatedAt: number;
}

export interface NewSession {
  readonly id: string;
  readonly key: string;
  readonly thread: ThreadRef;
  readonly workspaceName: string;
  readonly channel: { readonly name: string; readonly kind: string };
  readonly agent: string;
  readonly createdBy: string;
  readonly at: number;
}

/** A session that no thread has yet: a job's, until its report opens one. */
export type NewUnder = Pick<NewSession, "id" | "thread" | "agent" | "createdBy" | "at"> & Pick<SessionRow, "settings">;

/** What keys of sessions that jobs begin start with, until a thread gives them its own. */
export const JOB_KEY = "job:";
/** Sessions of jobs among which a report is looked for, the newest. */
const MOST_REPORTS = 500;

const peopleSchema = z.array(z.string());

export function sessionReads(db: Client) {
  return {
    ...reportReads(db),

    async byKey(key: string): Promise<SessionRow | null> {
      return found(await db.session.findUnique({ where: { key } }), toRow);
    },

    async get(id: string): Promise<SessionRow> {
      return toRow(await db.session.findUniqueOrThrow({ where: { id } }));
    },

    /** Whether nobody has become the session's owner since that epoch. */
    async isOwnedIn(id: string, epoch: number): Promise<boolean> {
      return (await db.session.count({ where: { id, epoch } })) > 0;
    },

    /** What they wait for a place by, in the order asked for. */
    async applicantsOf(ids: readonly string[]): Promise<Applicant[]> {
      const rows = await db.session.findMany({
        where: { id: { in: [...ids] } },
        select: { id: true, channelId: true, people: true },
      });
      const applicants = rows.map(({ id, channelId: channelKey, people }) =>
        // One that cannot be read is for the wake of its own session to meet: all others are asked for with it.
        applicantOf({ id, channelKey, people: peopleSchema.safeParse(fromJson(people)).data ?? [] }),
      );
      const byId = new Map(applicants.map((applicant) => [applicant.sessionId, applicant]));
      return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
    },

    async isIn(channelKey: string): Promise<boolean> {
      return (await db.session.findFirst({ where: { channelId: channelKey }, select: { id: true } })) !== null;
    },

    /** Sessions of a platform in which the person has addressed the agent, those with the newest activity first. */
    async ofPerson(personId: string, { platform, since, limit }: PersonsSessions): Promise<PersonsSession[]> {
      const rows = await db.session.findMany({
        where: {
          key: { startsWith: `${platform}:` },
          parentId: null,
          people: { contains: JSON.stringify(personId) },
          updatedAt: { gte: new Date(since) },
        },
        orderBy: { updatedAt: "desc" },
        take: limit,
        include: { events: { orderBy: { seq: "asc" }, take: 1, select: { body: true } } },
      });
      return rows.flatMap(({ thread, events: [first], updatedAt }) =>
        threadsIn(thread).map((each) => ({
          thread: each,
          title: titleIn(first?.body),
          updatedAt: updatedAt.getTime(),
        })),
      );
    },

    /** Threads of sessions on a platform, those with the newest activity first. */
    async recentThreads(platform: PlatformName, limit: number): Promise<ThreadRef[]> {
      const rows = await db.session.findMany({
        where: { key: { startsWith: `${platform}:` }, parentId: null },
        orderBy: { updatedAt: "desc" },
        take: limit,
        select: { thread: true },
      });
      return rows.flatMap(({ thread }) => threadsIn(thread));
    },
  };
}

function reportReads(db: Client) {
  return {
    /** The job's session that a message of a channel came from; null when it is none's. */
    async ofReport(channelKey: string, messageId: string): Promise<SessionRow | null> {
      const where = { channelId: channelKey, parentId: null, key: { startsWith: JOB_KEY } };
      const jobs = await db.session.findMany({ where, orderBy: { updatedAt: "desc" }, take: MOST_REPORTS });
      const runs = await db.run.findMany({
        where: { sessionId: { in: jobs.map(({ id }) => id) } },
        select: { id: true },
      });
      const posted = { contains: `"messageId":${JSON.stringify(messageId)}` };
      const post = await db.post.findFirst({ where: { runId: { in: runs.map(({ id }) => id) }, posted } });
      const row = jobs.find(({ id }) => id === post?.sessionId);
      return row === undefined ? null : toRow(row);
    },
  };
}

/**
 * Raised by a release that stores of runs what the one before it cannot read: events of a new kind, steps with new contents.
 * While both run beside one another, the older one leaves alone what the newer one has had.
 */
const SESSION_FORMAT = 1;

export function sessionWrites(db: Client, channels: KnownChannels) {
  return {
    ...sessionReads(db),
    ...succession(db),
    ...threadless(db),
    ...ownership(db),

    /** Creates the session, and its workspace and channel when they are new. */
    async create(session: NewSession): Promise<SessionRow> {
      const { thread, at } = session;
      const createdAt = new Date(at);
      const workspaceId = `${thread.platform}:${thread.workspaceId}`;
      const channelId = channelKeyOf(thread);
      const { name, kind } = session.channel;
      if (!channels.has(workspaceId, session.workspaceName)) {
        await db.workspace.upsert({
          where: { id: workspaceId },
          create: { id: workspaceId, platform: thread.platform, name: session.workspaceName, createdAt },
          update: { name: session.workspaceName },
        });
      }
      if (!channels.has(channelId, name)) {
        await db.channel.upsert({
          where: { id: channelId },
          create: { id: channelId, workspaceId, name, kind, createdAt },
          update: { name },
        });
      }
      channels.stored(workspaceId, session.workspaceName);
      channels.stored(channelId, name);
      const people = [session.createdBy];
      const row = newRow({ ...session, channelKey: channelId, people, settings: {} });
      return toRow(await db.session.create({ data: row }));
    },

    /** The session as it is; until the transaction ends, nobody else changes it, and no run of it begins. */
    lock: (id: string) => locked(db, id),

    async addPerson(id: string, personId: string): Promise<void> {
      const { people } = await locked(db, id);
      if (people.includes(personId)) return;
      await db.session.update({ where: { id }, data: { people: JSON.stringify([...people, personId]) } });
    },

    async setAgent(id: string, agent: string): Promise<void> {
      await db.session.update({ where: { id }, data: { agent } });
    },

    async changeSettings(id: string, change: SettingsChange, at: number): Promise<SessionSettings> {
      const settings = changedSettings((await locked(db, id)).settings, change);
      const data = { settings: JSON.stringify(settings), updatedAt: new Date(at) };
      await db.session.update({ where: { id }, data });
      return settings;
    },
  };
}

/** Who may write to a session. */
function ownership(db: Client) {
  return {
    /**
     * Makes the caller the session's only owner: journal writes of earlier epochs fail from now on. StoreError
     * `database_newer` where a program of a newer format has had it.
     */
    async raiseEpoch(id: string): Promise<{ readonly session: SessionRow; readonly epoch: number }> {
      const where = { id, format: { lte: SESSION_FORMAT } };
      const [row] = await db.session.updateManyAndReturn({
        where,
        data: { epoch: { increment: 1 }, format: SESSION_FORMAT },
      });
      if (row === undefined) throw new StoreError("database_newer", `session ${id} is of a newer version`);
      return { session: toRow(row), epoch: row.epoch };
    },

    /** Locks the session's row for this transaction; StoreError `stale_owner` when another owner has it. */
    async fence(id: string, epoch: number, at: number): Promise<void> {
      const { count } = await db.session.updateMany({ where: { id, epoch }, data: { updatedAt: new Date(at) } });
      if (count === 0) throw new StoreError("stale_owner", `session ${id} has moved on from epoch ${epoch}`);
    },
  };
}

/** Reads a row to change it. The second of two who do so at once reads what the first has left: the statement waits for its transaction. */
async function locked(db: Client, id: string): Promise<SessionRow> {
  return toRow(await db.session.update({ where: { id }, data: { epoch: { increment: 0 } } }));
}

/** The thread that a row of a list names; none where it cannot be read, so that one row keeps no list from its others. */
export function threadsIn(stored: string): readonly ThreadRef[] {
  const { data } = threadRefSchema.safeParse(fromJson(stored));
  return data === undefined ? [] : [data];
}

const openingSchema = z.object({ text: z.string() });

function titleIn(body: string | undefined): string {
  const parsed = openingSchema.safeParse(fromJson(body ?? ""));
  return parsed.success ? commandAsTitle(parsed.data.text) : "";
}

/** Sessions that begin before their thread does. */
function threadless(db: Client) {
  return {
    /** As `create`, in a channel of which no more than the id need be known. */
    async createUnder(key: string, { id, thread, agent, settings, createdBy, at }: NewUnder): Promise<void> {
      const createdAt = new Date(at);
      const workspaceId = `${thread.platform}:${thread.workspaceId}`;
      const channelKey = channelKeyOf(thread);
      // With nothing to update, Prisma looks and then inserts: of two at once, one would fail.
      const workspace = { id: workspaceId, platform: thread.platform, name: thread.workspaceId, createdAt };
      await db.workspace.upsert({ where: { id: workspaceId }, create: workspace, update: { id: workspaceId } });
      const channel = { id: channelKey, workspaceId, name: thread.channelId, kind: "channel", createdAt };
      await db.channel.upsert({ where: { id: channelKey }, create: channel, update: { id: channelKey } });
      const people = [createdBy];
      await db.session.create({
        data: newRow({ id, key, thread, channelKey, agent, people, settings, createdBy, at }),
      });
    },

    /** From now on the thread's messages are the session's. False when they are another's. */
    async openThread(id: string, thread: ThreadRef): Promise<boolean> {
      const key = sessionKeyOf(thread);
      const owner = await db.session.findUnique({ where: { key }, select: { id: true } });
      if (owner === null) await db.session.update({ where: { id }, data: { key, thread: JSON.stringify(thread) } });
      return owner === null || owner.id === id;
    },
  };
}

/** Sessions that begin from another one. */
function succession(db: Client) {
  return {
    /**
     * Gives the session's thread, its settings, and the people who need not mention the agent there, to a new session without
     * history; nothing where it has given the thread away already.
     */
    async startNewSession(
      { id, key }: SessionRow,
      fresh: { id: string; createdBy: string; at: number },
    ): Promise<void> {
      const session = await locked(db, id);
      if (session.key !== key) return;
      await db.session.update({ where: { id }, data: { key: `${key}#${id}` } });
      await db.session.create({ data: newRow({ ...session, ...fresh }) });
    },

    /** A new session in another thread of the channel, with the agent and the settings of one. */
    async beginFrom(
      session: SessionRow,
      fresh: { id: string; thread: ThreadRef; createdBy: string; at: number },
    ): Promise<void> {
      const key = sessionKeyOf(fresh.thread);
      const row = newRow({ ...session, ...fresh, key, people: [fresh.createdBy] });
      // Its first wake is no first one: there is history.
      await db.session.create({ data: { ...row, epoch: 1 } });
    },
  };
}

type RowToBe = SessionRow & Pick<NewSession, "createdBy" | "at">;

function newRow({ id, key, channelKey, thread, agent, people, settings, createdBy, at }: RowToBe) {
  return {
    id,
    key,
    channelId: channelKey,
    thread: JSON.stringify(thread),
    agent,
    people: JSON.stringify(people),
    settings: JSON.stringify(settings),
    createdBy,
    createdAt: new Date(at),
    updatedAt: new Date(at),
  };
}

/** A session is whoever's began it. */
export function applicantOf({ id, channelKey, people }: Pick<SessionRow, "id" | "channelKey" | "people">): Applicant {
  return { sessionId: id, channelKey, personId: people[0] ?? "" };
}

function toRow(row: Stored<"Session">): SessionRow {
  return {
    id: row.id,
    key: row.key,
    thread: threadRefSchema.parse(JSON.parse(row.thread)),
    channelKey: row.channelId,
    agent: row.agent,
    people: peopleSchema.parse(JSON.parse(row.people)),
    settings: sessionSettingsSchema.parse(JSON.parse(row.settings)),
    ...(row.task === null ? {} : { task: childTaskSchema.parse(JSON.parse(row.task)) }),
  };
}
