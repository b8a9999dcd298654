import { join, type Sql, sqltag as sql } from "@prisma/client/runtime/client";
import { z } from "zod";
import { type Client, mapRow, type Stored, storedMs } from "./database/client.ts";

/** `waiting`: for the end of the job's previous run; `retrying`: for the next attempt. */
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

/** Statuses of occurrences that are not over, including between two attempts. */
export const OPEN_OCCURRENCES: OccurrenceStatus[] = ["waiting", "running", "retrying"];
/** Statuses of occurrences that had a run, which is over. */
const RAN: OccurrenceStatus[] = ["succeeded", "failed", "timed_out", "cancelled"];

const idsSchema = z.array(z.object({ id: z.string() }));

export interface OccurrenceRow {
  readonly id: string;
  readonly jobId: string;
  readonly jobName: string;
  readonly channelId: string;
  /** When the occurrence is due. Milliseconds since the epoch, like all times here. */
  readonly scheduledFor: number;
  /** Whether the schedule or a person made it due. */
  readonly trigger: "schedule" | "person";
  readonly status: OccurrenceStatus;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly sessionId: string | null;
  readonly runId: string | null;
  readonly executedAt: number | null;
  readonly endedAt: number | null;
  readonly success: boolean;
  /** One line about the outcome. */
  readonly message: string | null;
  readonly error: string | null;
  /** Cost of all attempts together. US dollars. */
  readonly costUsd: number | null;
  /** Duration of the newest attempt's run, up to now while it goes on. */
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

export interface OccurrenceEnd
  extends Pick<OccurrenceRow, "status" | "message" | "error" | "durationMs" | "reportHash"> {
  /** Cost of all attempts; if left out, that of the attempts before stays. */
  readonly costUsd?: number | null;
  readonly at: number;
}

export function occurrenceReads(db: Client) {
  return {
    async get(id: string): Promise<OccurrenceRow | null> {
      return mapRow(await db.jobOccurrence.findUnique({ where: { id } }), toRow);
    },

    /** Name of the job that the session belongs to; null if it belongs to none. */
    async jobNameOf(sessionId: string): Promise<string | null> {
      return (await db.jobOccurrence.findFirst({ where: { sessionId }, select: { jobName: true } }))?.jobName ?? null;
    },

    /** The job's occurrences that are not over, earliest first. */
    async open(jobId: string): Promise<OccurrenceRow[]> {
      const rows = await db.jobOccurrence.findMany({ where: { jobId, status: { in: OPEN_OCCURRENCES } } });
      // Sorted here, because SQLite would otherwise scan all occurrences that the job ever had.
      return rows.map(toRow).toSorted((a, b) => a.scheduledFor - b.scheduledFor);
    },

    async waitingJobs(): Promise<string[]> {
      const rows = await db.jobOccurrence.findMany({
        where: { status: "waiting" },
        distinct: ["jobId"],
        select: { jobId: true },
      });
      return rows.map(({ jobId }) => jobId);
    },

    /** The job's newest occurrences, newest first. */
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

/** Jobs per query. SQLite combines at most 500 selects. */
const JOBS_PER_QUERY = 250;

/** Selects a job's newest by index. Ranking all occurrences of many jobs would slow down as they grow. */
function newestIds(jobId: string, limit: number): Sql {
  return sql`
    SELECT "id" FROM (
      SELECT "id" FROM "JobOccurrence" WHERE "jobId" = ${jobId} AND "status" IN (${join(RAN)})
      ORDER BY "scheduledFor" DESC LIMIT ${limit}
    ) AS "newest"`;
}

function historyReads(db: Client) {
  return {
    /** The newest occurrences that had a run which has ended, newest first. */
    async newestRuns(jobId: string, limit: number): Promise<OccurrenceRow[]> {
      const where = { jobId, status: { in: RAN } };
      return (await db.jobOccurrence.findMany({ where, orderBy: { scheduledFor: "desc" }, take: limit })).map(toRow);
    },

    /** As `newestRuns` for many jobs, by job, in few statements. Jobs without any are left out. */
    async newestRunsOf(
      jobIds: readonly string[],
      limit: number,
    ): Promise<ReadonlyMap<string, readonly OccurrenceRow[]>> {
      const ids: string[] = [];
      for (let from = 0; from < jobIds.length; from += JOBS_PER_QUERY) {
        const some = jobIds.slice(from, from + JOBS_PER_QUERY).map((jobId) => newestIds(jobId, limit));
        const found: unknown = await db.$queryRaw`${join(some, " UNION ALL ")}`;
        ids.push(...idsSchema.parse(found).map(({ id }) => id));
      }
      const rows = await db.jobOccurrence.findMany({
        where: { id: { in: ids } },
        orderBy: { scheduledFor: "desc" },
      });
      return Map.groupBy(rows.map(toRow), ({ jobId }) => jobId);
    },

    /** Hash of the last report of a success before this time; null if there is none. */
    async lastReportHash(jobId: string, before: number): Promise<string | null> {
      const row = await db.jobOccurrence.findFirst({
        where: { jobId, status: "succeeded", reportHash: { not: null }, scheduledFor: { lt: new Date(before) } },
        orderBy: { scheduledFor: "desc" },
        select: { reportHash: true },
      });
      return row?.reportHash ?? null;
    },

    /** Number of skipped or missed occurrences between the previous run and this occurrence. */
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

    /** Adds an occurrence. Fails if the due time has one: the unique index decides between racing claims. */
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

    /** Changes the status. False if another process changed it first. */
    async move(
      id: string,
      from: OccurrenceStatus,
      to: { status: OccurrenceStatus; sessionId?: string; attempt?: number; costUsd?: number | null },
    ): Promise<boolean> {
      const { count } = await db.jobOccurrence.updateMany({ where: { id, status: from }, data: to });
      return count > 0;
    },

    /** Records the run of the newest attempt, and when the first attempt began. */
    async runs(id: string, runId: string, at: number): Promise<void> {
      const isOther = { OR: [{ runId: null }, { runId: { not: runId } }] };
      await db.jobOccurrence.updateMany({ where: { id, ...isOther }, data: { runId, durationMs: null } });
      await db.jobOccurrence.updateMany({ where: { id, executedAt: null }, data: { executedAt: new Date(at) } });
    },

    /** Records how long the run has taken so far. */
    async hasRun(id: string, runId: string, durationMs: number): Promise<void> {
      const data = { durationMs: storedMs(durationMs) };
      await db.jobOccurrence.updateMany({ where: { id, runId, status: "running" }, data });
    },

    /** Skips the job's waiting occurrences, and cancels those that wait for another attempt. */
    async withdraw(jobId: string, message: string, at: number): Promise<void> {
      const ended = { message, endedAt: new Date(at) };
      await db.jobOccurrence.updateMany({ where: { jobId, status: "waiting" }, data: { ...ended, status: "skipped" } });
      const cancelled = { ...ended, status: "cancelled" };
      await db.jobOccurrence.updateMany({ where: { jobId, status: "retrying" }, data: cancelled });
    },

    /** Ends the occurrence. False if it had already ended. */
    async end(id: string, { at, status, durationMs, ...end }: OccurrenceEnd): Promise<boolean> {
      const took = { durationMs: durationMs === null ? null : storedMs(durationMs), endedAt: new Date(at) };
      const { count } = await db.jobOccurrence.updateMany({
        where: { id, status: { in: OPEN_OCCURRENCES } },
        data: { ...end, ...took, status, success: status === "succeeded" },
      });
      return count > 0;
    },

    /** Deletes older occurrences that are over. Returns how many. */
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
