import { z } from "zod";
import { type ChildTask, childTaskSchema } from "../events/child-task.ts";
import {
  changedSettings,
  type SessionSettings,
  type SettingsChange,
  sessionSettingsSchema,
} from "../events/session-settings.ts";
import { channelKeyOf, type PlatformName, sessionKeyOf, type ThreadRef, threadRefSchema } from "../platform/thread.ts";
import { StoreError } from "../protocol/errors.ts";
import { commandAsTitle } from "../text/command-as-title.ts";
import { fromJson } from "../text/from-json.ts";
import { type Client, mapRow, type Stored } from "./database/client.ts";
import type { KnownChannels } from "./known-channels.ts";

/** A session that waits for a place to run. */
export interface Applicant {
  readonly sessionId: string;
  /** The person who began the session. */
  readonly personId: string;
  readonly channelKey: string;
}

export interface SessionRow {
  readonly id: string;
  readonly key: string;
  readonly thread: ThreadRef;
  readonly channelKey: string;
  readonly agent: string;
  /** Ids of the people who have addressed the agent in this session. */
  readonly people: readonly string[];
  /** What people have set for the session. */
  readonly settings: SessionSettings;
  /** A sub-agent's task; absent for any other session. */
  readonly task?: ChildTask;
}

export interface PersonsSessions {
  readonly platform: PlatformName;
  readonly since: number;
  readonly limit: number;
}

export interface PersonsSession {
  readonly thread: ThreadRef;
  /** The first words of the message that began the session; empty if something else did. */
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

/** A session that takes the rest from another one. */
export type FreshSession = Pick<NewSession, "id" | "createdBy" | "at">;

/** A session without a thread: a job's, until its report opens one. */
export type NewThreadlessSession = Pick<NewSession, "id" | "thread" | "agent" | "createdBy" | "at"> &
  Pick<SessionRow, "settings">;

/** Prefix of the keys of jobs' sessions, until a thread gives them its own. */
export const JOB_KEY = "job:";
/** Maximum number of jobs' sessions, newest first, that are searched for a report. */
const MAX_REPORTS = 500;

const peopleSchema = z.array(z.string());

export function sessionReads(db: Client) {
  return {
    ...reportReads(db),

    async byKey(key: string): Promise<SessionRow | null> {
      return mapRow(await db.session.findUnique({ where: { key } }), toRow);
    },

    async get(id: string): Promise<SessionRow> {
      return toRow(await db.session.findUniqueOrThrow({ where: { id } }));
    },

    /** Whether the session has had no other owner since that epoch. */
    async isOwnedIn(id: string, epoch: number): Promise<boolean> {
      return (await db.session.count({ where: { id, epoch } })) > 0;
    },

    /** The sessions as applicants for a place, in the order of `ids`. */
    async applicantsOf(ids: readonly string[]): Promise<Applicant[]> {
      const rows = await db.session.findMany({
        where: { id: { in: [...ids] } },
        select: { id: true, channelId: true, people: true },
      });
      const applicants = rows.map(({ id, channelId: channelKey, people }) =>
        // An unreadable row only fails the wake of its own session, not this query for all.
        applicantOf({ id, channelKey, people: peopleSchema.safeParse(fromJson(people)).data ?? [] }),
      );
      const byId = new Map(applicants.map((applicant) => [applicant.sessionId, applicant]));
      return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
    },

    async isIn(channelKey: string): Promise<boolean> {
      return (await db.session.findFirst({ where: { channelId: channelKey }, select: { id: true } })) !== null;
    },

    /** The person's sessions on a platform, in which they have addressed the agent, newest activity first. */
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

    /** Threads of sessions on a platform, newest activity first. */
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
    /** The job's session that a message of a channel came from; null if there is none. */
    async ofReport(channelKey: string, messageId: string): Promise<SessionRow | null> {
      const where = { channelId: channelKey, parentId: null, key: { startsWith: JOB_KEY } };
      const jobs = await db.session.findMany({ where, orderBy: { updatedAt: "desc" }, take: MAX_REPORTS });
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
 * Raised by each release that stores what the release before cannot read, such as new kinds of events or new contents
 * of steps. While both run side by side, the older one leaves alone the sessions that the newer one has owned.
 */
const SESSION_FORMAT = 1;

export function sessionWrites(db: Client, channels: KnownChannels) {
  return {
    ...sessionReads(db),
    ...succession(db),
    ...threadless(db),
    ...ownership(db),

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

    /** Reads the session, and keeps others from changing it or beginning a run in it until the transaction ends. */
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

/** Ownership of a session, which allows writing to it. */
function ownership(db: Client) {
  return {
    /**
     * Makes the caller the session's only owner: journal writes under earlier epochs fail from now on. Throws
     * StoreError `database_newer` if a program of a newer format has owned it.
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

    /** Locks the session's row for this transaction. Throws StoreError `stale_owner` if it has another owner. */
    async fence(id: string, epoch: number, at: number): Promise<void> {
      const { count } = await db.session.updateMany({ where: { id, epoch }, data: { updatedAt: new Date(at) } });
      if (count === 0) throw new StoreError("stale_owner", `session ${id} has moved on from epoch ${epoch}`);
    },
  };
}

/** Reads a row to change it. A concurrent caller waits for this transaction and then reads its result. */
async function locked(db: Client, id: string): Promise<SessionRow> {
  return toRow(await db.session.update({ where: { id }, data: { epoch: { increment: 0 } } }));
}

/** The thread that a row names. Empty if it cannot be read, so that one bad row does not hide the others. */
export function threadsIn(stored: string): readonly ThreadRef[] {
  const { data } = threadRefSchema.safeParse(fromJson(stored));
  return data === undefined ? [] : [data];
}

const openingSchema = z.object({ text: z.string() });

function titleIn(body: string | undefined): string {
  const parsed = openingSchema.safeParse(fromJson(body ?? ""));
  return parsed.success ? commandAsTitle(parsed.data.text) : "";
}

/** Sessions that begin before their thread exists. */
function threadless(db: Client) {
  return {
    /** As `create`, in a channel of which only the id may be known. */
    async createUnder(
      key: string,
      { id, thread, agent, settings, createdBy, at }: NewThreadlessSession,
    ): Promise<void> {
      const createdAt = new Date(at);
      const workspaceId = `${thread.platform}:${thread.workspaceId}`;
      const channelKey = channelKeyOf(thread);
      // With an empty update, Prisma reads and then inserts, and of two concurrent upserts one would fail.
      const workspace = { id: workspaceId, platform: thread.platform, name: thread.workspaceId, createdAt };
      await db.workspace.upsert({ where: { id: workspaceId }, create: workspace, update: { id: workspaceId } });
      const channel = { id: channelKey, workspaceId, name: thread.channelId, kind: "channel", createdAt };
      await db.channel.upsert({ where: { id: channelKey }, create: channel, update: { id: channelKey } });
      const people = [createdBy];
      await db.session.create({
        data: newRow({ id, key, thread, channelKey, agent, people, settings, createdBy, at }),
      });
    },

    /** Routes the thread's messages to the session. False if the thread belongs to another one. */
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
     * Moves the session's thread and settings, and the people who need not mention the agent there, to a new session
     * without history. Does nothing if the session has already given its thread away.
     */
    async startNewSession({ id, key }: SessionRow, fresh: FreshSession): Promise<void> {
      const session = await locked(db, id);
      if (session.key !== key) return;
      await db.session.update({ where: { id }, data: { key: `${key}#${id}` } });
      await db.session.create({ data: newRow({ ...session, ...fresh }) });
    },

    /** Begins a session in another thread of the channel, with the agent and the settings of an existing one. */
    async beginFrom(session: SessionRow, fresh: FreshSession & Pick<NewSession, "thread">): Promise<void> {
      const key = sessionKeyOf(fresh.thread);
      const row = newRow({ ...session, ...fresh, key, people: [fresh.createdBy] });
      // Epoch 1, so that its first wake does not count as the session's first: it has history.
      await db.session.create({ data: { ...row, epoch: 1 } });
    },
  };
}

type NewRow = SessionRow & FreshSession;

function newRow({ id, key, channelKey, thread, agent, people, settings, createdBy, at }: NewRow) {
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

/** The applicant for a session, which belongs to the person who began it. */
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
