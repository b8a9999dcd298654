import { join, type Sql, sqltag as sql } from "@prisma/client/runtime/client";
import { z } from "zod";
import { type Client, found, type Stored, storedMs } from "./database/client.ts";

/** waiting: until the job's run before it has ended; retrying: until its next attempt. */
const statusSchema = z.enum([
  "waiting",
  "running",
  "retrying",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
  "skipped",
  "missed",
]);
export type OccurrenceStatus = z.infer<typeof statusSchema>;

/** Occurrences that are not over, also between two attempts. */
export const OPEN_OCCURRENCES: OccurrenceStatus[] = ["waiting", "running", "retrying"];
/** Occurrences that came to a run. */
const RAN: OccurrenceStatus[] = ["succeeded", "failed", "timed_out", "cancelled"];

const idsSchema = z.array(z.object({ id: z.string() }));

export interface OccurrenceRow {
  readonly id: string;
  readonly jobId: string;
  readonly jobName: string;
  readonly channelId: string;
  /** Milliseconds since the epoch, like all times here. */
  readonly scheduledFor: number;
  /** What made it due: the schedule, or a person. */
  readonly trigger: "schedule" | "person";
  readonly status: OccurrenceStatus;
  /** From 1. */
  readonly attempt: number;
  readonly sessionId: string | null;
  readonly runId: string | null;
  readonly executedAt: number | null;
  readonly endedAt: number | null;
  readonly success: boolean;
  /** What came of it, in a line. */
  readonly message: string | null;
  readonly error: string | null;
  /** US dollars that all attempts together have cost. */
  readonly costUsd: number | null;
  /** How long its run has taken, or takes until now; of several attempts the newest's. */
  readonly durationMs: number | null;
  readonly reportHash: string | null;
  readonly createdAt: number;
}

export type NewOccurrence = Pick<
  OccurrenceRow,
  "id" | "jobId" | "jobName" | "channelId" | "scheduledFor" | "trigger" | "status"
> & {
  readonly at: number;
  readonly sessionId?: string;
  readonly message?: string;
};

export interface OccurrenceEnd {
  readonly status: OccurrenceStatus;
  readonly message: string | null;
  readonly error: string | null;
  /** Left out: that of the attempts before. */
  readonly costUsd?: number | null;
  readonly durationMs: number | null;
  readonly reportHash: string | null;
  readonly at: number;
}

export function occurrenceReads(db: Client) {
  return {
    async get(id: string): Promise<OccurrenceRow | null> {
      return found(await db.jobOccurrence.findUnique({ where: { id } }), toRow);
    },

    /** The name of the job whose session it is; null when it is none's. */
    async jobNameOf(sessionId: string): Promise<string | null> {
      return (await db.jobOccurrence.findFirst({ where: { sessionId }, select: { jobName: true } }))?.jobName ?? null;
    },

    /** Those of a job that are not over, the earliest first. */
    async open(jobId: string): Promise<OccurrenceRow[]> {
      const rows = await db.jobOccurrence.findMany({ where: { jobId, status: { in: OPEN_OCCURRENCES } } });
      // Asked for in order, SQLite would go through all that the job ever had.
      return rows.map(toRow).toSorted((a, b) => a.scheduledFor - b.scheduledFor);
    },

    /** Jobs with an occurrence that waits for the one before it. */
    async waitingJobs(): Promise<string[]> {
      const rows = await db.jobOccurrence.findMany({
        where: { status: "waiting" },
        distinct: ["jobId"],
        select: { jobId: true },
      });
      return rows.map(({ jobId }) => jobId);
    },

    /** The job's newest, newest first. */
    async newest(jobId: string, limit: number): Promise<OccurrenceRow[]> {
      const rows = await db.jobOccurrence.findMany({
        where: { jobId },
        orderBy: { scheduledFor: "desc" },
        take: limit,
      });
      return rows.map(toRow);
    },

    ...historyReads(db),
  };
}

/** SQLite puts at most 500 selects together. */
const JOBS_TOGETHER = 250;

/** One job's newest are the first of an index; to number all that many jobs ever had takes longer with each. */
function newestIds(jobId: string, limit: number): Sql {
  return sql`
    SELECT "id" FROM (
      SELECT "id" FROM "JobOccurrence" WHERE "jobId" = ${jobId} AND "status" IN (${join(RAN)})
      ORDER BY "scheduledFor" DESC LIMIT ${limit}
    ) AS "newest"`;
}

/** What has come of due times before. */
function historyReads(db: Client) {
  return {
    /** The newest that came to a run and ended, newest first. */
    async newestRuns(jobId: string, limit: number): Promise<OccurrenceRow[]> {
      const where = { jobId, status: { in: RAN } };
      return (await db.jobOccurrence.findMany({ where, orderBy: { scheduledFor: "desc" }, take: limit })).map(toRow);
    },

    /** The same for many jobs, by job, in few statements; jobs without any are left out. */
    async newestRunsOf(
      jobIds: readonly string[],
      limit: number,
    ): Promise<ReadonlyMap<string, readonly OccurrenceRow[]>> {
      const ids: string[] = [];
      for (let from = 0; from < jobIds.length; from += JOBS_TOGETHER) {
        const some = jobIds.slice(from, from + JOBS_TOGETHER).map((jobId) => newestIds(jobId, limit));
        const found: unknown = await db.$queryRaw`${join(some, " UNION ALL ")}`;
        ids.push(...idsSchema.parse(found).map(({ id }) => id));
      }
      const rows = await db.jobOccurrence.findMany({
        where: { id: { in: ids } },
        orderBy: { scheduledFor: "desc" },
      });
      return Map.groupBy(rows.map(toRow), ({ jobId }) => jobId);
    },

    /** By what the report before is known; null when there is none. */
    async lastReportHash(jobId: string, before: number): Promise<string | null> {
      const row = await db.jobOccurrence.findFirst({
        where: { jobId, status: "succeeded", reportHash: { not: null }, scheduledFor: { lt: new Date(before) } },
        orderBy: { scheduledFor: "desc" },
        select: { reportHash: true },
      });
      return row?.reportHash ?? null;
    },

    /** Due times since the run before this one that came to none: skipped or missed. */
    async leftOutBefore(occurrence: OccurrenceRow): Promise<number> {
      const { jobId, scheduledFor } = occurrence;
      const last = await db.jobOccurrence.findFirst({
        where: { jobId, status: { in: RAN }, scheduledFor: { lt: new Date(scheduledFor) } },
        orderBy: { scheduledFor: "desc" },
        select: { scheduledFor: true },
      });
      const since = last?.scheduledFor ?? new Date(0);
      return db.jobOccurrence.count({
        where: {
          jobId,
          status: { in: ["skipped", "missed"] },
          scheduledFor: { gt: since, lt: new Date(scheduledFor) },
        },
      });
    },
  };
}

export function occurrenceWrites(db: Client) {
  return {
    ...occurrenceReads(db),

    async has(jobId: string, scheduledFor: number): Promise<boolean> {
      return (await db.jobOccurrence.count({ where: { jobId, scheduledFor: new Date(scheduledFor) } })) > 0;
    },

    /** Fails when the due time has its occurrence: the unique index decides between racing claims. */
    async add({ scheduledFor, at, ...occurrence }: NewOccurrence): Promise<void> {
      const isOver = !OPEN_OCCURRENCES.includes(occurrence.status);
      await db.jobOccurrence.create({
        data: {
          ...occurrence,
          scheduledFor: new Date(scheduledFor),
          endedAt: isOver ? new Date(at) : null,
          createdAt: new Date(at),
        },
      });
    },

    /** From one state to another; false when another was quicker. */
    async move(
      id: string,
      from: OccurrenceStatus,
      to: { status: OccurrenceStatus; sessionId?: string; attempt?: number; costUsd?: number | null },
    ): Promise<boolean> {
      const { count } = await db.jobOccurrence.updateMany({ where: { id, status: from }, data: to });
      return count > 0;
    },

    /** Its run, and when the first one began. */
    async runs(id: string, runId: string, at: number): Promise<void> {
      const isOther = { OR: [{ runId: null }, { runId: { not: runId } }] };
      await db.jobOccurrence.updateMany({ where: { id, ...isOther }, data: { runId, durationMs: null } });
      await db.jobOccurrence.updateMany({ where: { id, executedAt: null }, data: { executedAt: new Date(at) } });
    },

    /** How much of its time the run has had, while it goes on. */
    async hasRun(id: string, runId: string, durationMs: number): Promise<void> {
      const data = { durationMs: storedMs(durationMs) };
      await db.jobOccurrence.updateMany({ where: { id, runId, status: "running" }, data });
    },

    /** What has not begun never will; what waits for another attempt gets none. */
    async withdraw(jobId: string, message: string, at: number): Promise<void> {
      const ended = { message, endedAt: new Date(at) };
      await db.jobOccurrence.updateMany({ where: { jobId, status: "waiting" }, data: { ...ended, status: "skipped" } });
      const cancelled = { ...ended, status: "cancelled" };
      await db.jobOccurrence.updateMany({ where: { jobId, status: "retrying" }, data: cancelled });
    },

    /** Once: false when it had ended already. */
    async end(id: string, { at, status, durationMs, ...end }: OccurrenceEnd): Promise<boolean> {
      const took = { durationMs: durationMs === null ? null : storedMs(durationMs), endedAt: new Date(at) };
      const { count } = await db.jobOccurrence.updateMany({
        where: { id, status: { in: OPEN_OCCURRENCES } },
        data: { ...end, ...took, status, success: status === "succeeded" },
      });
      return count > 0;
    },

    /** What is older is forgotten, but for what is not over; answers how many there were. */
    async forgetBefore(at: number): Promise<number> {
      const { count } = await db.jobOccurrence.deleteMany({
        where: { createdAt: { lt: new Date(at) }, status: { notIn: OPEN_OCCURRENCES } },
      });
      return count;
    },
  };
}

function toRow(row: Stored<"JobOccurrence">): OccurrenceRow {
  return {
    ...row,
    status: statusSchema.parse(row.status),
    trigger: row.trigger === "person" ? "person" : "schedule",
    scheduledFor: row.scheduledFor.getTime(),
    executedAt: row.executedAt?.getTime() ?? null,
    endedAt: row.endedAt?.getTime() ?? null,
    createdAt: row.createdAt.getTime(),
  };
}
