import { z } from "zod";
import { MODES } from "../agents/query-config.ts";
import { ownId } from "../events/event-key.ts";
import { channelKeyOf, type ThreadRef, threadRefSchema } from "../platform/thread.ts";
import { systemCode } from "../protocol/system-code.ts";
import { fromJson } from "../text/from-json.ts";
import type { Client, Stored } from "./database/client.ts";
import { type PauseCause, pauseCauseOf } from "./pause-cause.ts";

const settingsSchema = z.object({
  name: z.string(),
  /** The job's channel; has no thread. */
  thread: threadRefSchema,
  ownerId: z.string(),
  ownerName: z.string(),
  /** Null if the job is due only once. */
  cron: z.string().nullable(),
  /** Milliseconds since the epoch. */
  dueOnce: z.number().nullable(),
  timezone: z.string(),
  prompt: z.string(),
  agent: z.string().nullable(),
  skill: z.string().nullable(),
  model: z.string().nullable(),
  mode: z.enum(MODES),
  /** Tools granted beyond what the mode allows. */
  tools: z.array(z.string()),
  timeoutMs: z.number().int().positive(),
  budgetUsd: z.number().positive().nullable(),
  catchUp: z.enum(["none", "latest"]),
  overlap: z.enum(["skip", "queue", "cancel-previous"]),
  attempts: z.number().int().min(1),
  jitterMs: z.number().int().min(0),
  silentWhenUnchanged: z.boolean(),
  pauseAfter: z.number().int().min(1),
});
export type JobSettings = z.infer<typeof settingsSchema>;

const rowSchema = settingsSchema.extend({
  id: z.string(),
  source: z.enum(["chat", "file"]),
  channelId: z.string(),
  enabled: z.boolean(),
  /** Null if it is not paused, or paused by a person. */
  pausedBecause: z.custom<PauseCause>().nullable(),
  failures: z.number(),
  /** Every due time up to this one has its occurrence. Milliseconds since the epoch. */
  accountedTo: z.number(),
  /** Differs after each change. Milliseconds since the epoch. */
  updatedAt: z.number(),
});
export type JobRow = z.infer<typeof rowSchema>;

export function settingsOf(job: JobRow): JobSettings {
  return settingsSchema.parse(job);
}

/** A job whose row cannot be read; the other jobs still can. */
export interface BrokenJob {
  readonly id: string;
  readonly name: string;
  readonly problem: string;
}

const PLACE = {
  id: true,
  name: true,
  thread: true,
  channelId: true,
  ownerId: true,
  ownerName: true,
  enabled: true,
} as const;
const placeSchema = rowSchema.pick(PLACE);
/** Where a job reports, and in whose name. */
export type JobAddress = z.infer<typeof placeSchema>;

export interface JobList {
  readonly jobs: readonly JobRow[];
  readonly broken: readonly BrokenJob[];
}

export interface NewJob extends JobSettings {
  readonly id: string;
  readonly source: JobRow["source"];
  readonly enabled: boolean;
  readonly at: number;
}

export function jobReads(db: Client) {
  return {
    async all(): Promise<JobList> {
      const rows = await storedJobs(db);
      const read = rows.map(readRow);
      return {
        jobs: read.flatMap((row) => ("problem" in row ? [] : [row])),
        broken: read.flatMap((row) => ("problem" in row ? [row] : [])),
      };
    },

    /** Ids of the jobs changed at or after a time. Milliseconds since the epoch. */
    async changedSince(at: number): Promise<string[]> {
      const rows = await db.job.findMany({ where: { updatedAt: { gte: new Date(at) } }, select: { id: true } });
      return rows.map(({ id }) => id);
    },

    async isNameTaken({ thread, name }: Pick<JobSettings, "thread" | "name">): Promise<boolean> {
      return (await db.job.count({ where: { nameKey: jobNameKey(thread, name) } })) > 0;
    },

    /** The workspace's job of that name, readable or not; null if there is none. */
    async named({ thread, name }: Pick<JobSettings, "thread" | "name">): Promise<JobRow | BrokenJob | null> {
      const found = await db.job.findUnique({ where: { nameKey: jobNameKey(thread, name) }, select: { id: true } });
      return found === null ? null : readRow(await storedJob(db, found.id));
    },

    /** The platform's id of a workspace's channel, by its name or id; null if the channel is not known. */
    async channelNamed(workspaceId: string, name: string): Promise<string | null> {
      const channels = await db.channel.findMany({ where: { workspaceId }, select: { id: true, name: true } });
      const found = channels.find(({ id }) => ownId(id) === name) ?? channels.find((each) => each.name === name);
      return found === undefined ? null : ownId(found.id);
    },

    /** What is wrong with an unreadable row, and its address if that can be read; null for any other row, or none. */
    async unreadable(id: string): Promise<{ readonly problem: string; readonly place: JobAddress | null } | null> {
      if ((await db.job.count({ where: { id } })) === 0) return null;
      const row = readRow(await storedJob(db, id));
      return "problem" in row ? { problem: row.problem, place: await storedAddress(db, id) } : null;
    },

    /** Null also if the row cannot be read. */
    async get(id: string): Promise<JobRow | null> {
      const row = readRow(await storedJob(db, id));
      return "problem" in row ? null : row;
    },
  };
}

export function jobWrites(db: Client) {
  return {
    ...jobReads(db),

    /** Adds a job. Fails if the workspace has a job of that name. */
    async add({ id, source, enabled, at, ...settings }: NewJob): Promise<void> {
      const createdAt = new Date(at);
      const times = { accountedTo: createdAt, createdAt, updatedAt: createdAt };
      await db.job.create({ data: { id, source, enabled, ...settingsRow(settings), ...times } });
    },

    /** Keeps others from changing the job, and from adding or ending its occurrences, until the transaction ends. */
    async lock(id: string): Promise<void> {
      await db.job.updateMany({ where: { id }, data: { failures: { increment: 0 } } });
    },

    /** Changes the settings. False if the job is gone or has changed since `updatedAt`. */
    async change({ id, updatedAt }: JobRow, settings: JobSettings, at: number): Promise<boolean> {
      const { count } = await db.job.updateMany({
        where: { id, updatedAt: new Date(updatedAt) },
        data: { ...settingsRow(settings), updatedAt: new Date(Math.max(at, updatedAt + 1)) },
      });
      return count > 0;
    },

    /** Enables the job. Due times while it was paused are dropped: it counts anew from `at`. `owner`: the new owner. */
    async enable(id: string, at: number, owner?: Pick<JobRow, "ownerId" | "ownerName">): Promise<void> {
      const counted = { failures: 0, accountedTo: new Date(at), updatedAt: new Date(at) };
      await db.job.updateMany({ where: { id }, data: { enabled: true, pausedBecause: null, ...counted, ...owner } });
    },

    async pause(id: string, because: PauseCause | null, at: number): Promise<void> {
      await db.job.updateMany({
        where: { id },
        data: { enabled: false, pausedBecause: because && JSON.stringify(because), updatedAt: new Date(at) },
      });
    },

    async remove(id: string): Promise<void> {
      await db.job.deleteMany({ where: { id } });
    },

    /** Moves `accountedTo` forward, never back. False if the job is gone, paused, or already that far. */
    async accountTo(id: string, until: number): Promise<boolean> {
      const { count } = await db.job.updateMany({
        where: { id, enabled: true, accountedTo: { lt: new Date(until) } },
        data: { accountedTo: new Date(until) },
      });
      return count > 0;
    },

    /** Sets `accountedTo` to `at`, whatever it was, so that later due times are still to come. */
    async accountAnew(id: string, at: number): Promise<void> {
      await db.job.updateMany({ where: { id }, data: { accountedTo: new Date(at) } });
    },

    /** Counts a failure, or resets the count after a success. Returns the number of failures in a row. */
    async countFailure(id: string, hasFailed: boolean): Promise<number> {
      const failures = hasFailed ? { increment: 1 } : 0;
      await db.job.updateMany({ where: { id }, data: { failures } });
      return (await db.job.findUnique({ where: { id }, select: { failures: true } }))?.failures ?? 0;
    },
  };
}

/** Unique key of a job's name, which is unique within its workspace. */
export function jobNameKey(thread: ThreadRef, name: string): string {
  return `${thread.platform}:${thread.workspaceId}/${name.toLowerCase()}`;
}

function settingsRow({ thread, tools, dueOnce, ...settings }: JobSettings) {
  return {
    ...settings,
    nameKey: jobNameKey(thread, settings.name),
    channelId: channelKeyOf(thread),
    thread: JSON.stringify(thread),
    tools: JSON.stringify(tools),
    dueOnce: dueOnce === null ? null : new Date(dueOnce),
  };
}

/** A row as the database holds it; null if its values do not match their columns' types. */
type StoredJob = { readonly id: string; readonly row: Stored<"Job"> | null };

/** Reads all jobs. A row with values of the wrong types fails a query for all, so then each is read on its own. */
async function storedJobs(db: Client): Promise<StoredJob[]> {
  const ids = (await db.job.findMany({ select: { id: true }, orderBy: { nameKey: "asc" } })).map(({ id }) => id);
  const rows = await unlessOfWrongType(db.job.findMany());
  if (rows !== null) {
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => ({ id, row: byId.get(id) ?? null }));
  }
  const found: StoredJob[] = [];
  for (const id of ids) found.push(await storedJob(db, id));
  return found;
}

async function storedJob(db: Client, id: string): Promise<StoredJob> {
  return { id, row: await unlessOfWrongType(db.job.findUnique({ where: { id } })) };
}

async function storedAddress(db: Client, id: string): Promise<JobAddress | null> {
  const row = await unlessOfWrongType(db.job.findUnique({ where: { id }, select: PLACE }));
  return placeSchema.safeParse({ ...row, thread: fromJson(row?.thread ?? "") }).data ?? null;
}

/**
 * Null if values do not match their columns' types. An unreachable database still throws, since that is no broken row.
 * Source: Prisma docs, Error message reference: “Inconsistent column data”.
 */
async function unlessOfWrongType<T>(query: Promise<T>): Promise<T | null> {
  try {
    return await query;
  } catch (error) {
    if (systemCode(error) !== "P2023") throw error;
    return null;
  }
}

function readRow({ id, row }: StoredJob): JobRow | BrokenJob {
  if (row === null) return { id, name: id, problem: "its row cannot be read" };
  const parsed = rowSchema.safeParse({
    ...row,
    thread: fromJson(row.thread),
    tools: fromJson(row.tools),
    pausedBecause: row.pausedBecause === null ? null : pauseCauseOf(row.pausedBecause),
    dueOnce: row.dueOnce?.getTime() ?? null,
    accountedTo: row.accountedTo.getTime(),
    updatedAt: row.updatedAt.getTime(),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return { id, name: row.name, problem: `${issue?.path.join(".") ?? "row"}: ${issue?.message ?? "not valid"}` };
}
