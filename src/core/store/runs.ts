import type { ThreadRef } from "../platform/thread.ts";
import { type CancelCause, causeOf, storedCause } from "../protocol/cancel-cause.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import { type Client, mapRow, type Stored } from "./database/client.ts";
import { threadsIn } from "./sessions.ts";

/** Statuses of a run that has not ended. Listed for queries, because an index does not serve “not ended”. */
export const OPEN_RUN = ["running", "parked"] as const;

export interface RunRow {
  readonly id: string;
  readonly sessionId: string;
  readonly eventSeq: number;
  readonly status: (typeof OPEN_RUN)[number] | "ended";
  /** Who or what asked for the stop; null if nobody did. */
  readonly cancelledBy: CancelCause | null;
  readonly startedAt: number;
  /** Null while the run goes on. */
  readonly endedAt: number | null;
}

export function runReads(db: Client) {
  return {
    async get(id: string): Promise<RunRow | null> {
      return mapRow(await db.run.findUnique({ where: { id } }), toRow);
    },

    /** The session's only run that has not ended. */
    async open(sessionId: string): Promise<RunRow | null> {
      return mapRow(await db.run.findFirst({ where: { sessionId, status: { not: "ended" } } }), toRow);
    },

    /** The session's newest run, ended or not; null before the first. */
    async newestOf(sessionId: string): Promise<RunRow | null> {
      return mapRow(await db.run.findFirst({ where: { sessionId }, orderBy: { eventSeq: "desc" } }), toRow);
    },

    /** The session's runs that began after `at`, oldest first. Milliseconds since the epoch. */
    async since(sessionId: string, at: number): Promise<RunRow[]> {
      const where = { sessionId, startedAt: { gt: new Date(at) } };
      return (await db.run.findMany({ where, orderBy: { startedAt: "asc" } })).map(toRow);
    },

    /** Sessions with a run that has not ended, and their threads. A sub-agent's thread is its parent session's. */
    async busySessions(): Promise<{ readonly sessionId: string; readonly thread: ThreadRef }[]> {
      const session = { select: { thread: true } };
      const runs = await db.run.findMany({
        where: { status: { in: [...OPEN_RUN] } },
        select: { sessionId: true, session },
      });
      return runs.flatMap(({ sessionId, session: { thread } }) =>
        threadsIn(thread).map((each) => ({ sessionId, thread: each })),
      );
    },

    async stoppedIn(sessionIds: readonly string[]): Promise<RunRow[]> {
      const where = { sessionId: { in: [...sessionIds] }, status: { not: "ended" }, cancelledBy: { not: null } };
      return (await db.run.findMany({ where })).map(toRow);
    },

    /** Runs marked as running; at a start, those are the ones that a process left unfinished. */
    async interrupted(): Promise<RunRow[]> {
      const rows = await db.run.findMany({ where: { status: "running" }, orderBy: { startedAt: "asc" } });
      return rows.map(toRow);
    },
  };
}

export function runWrites(db: Client) {
  return {
    ...runReads(db),

    async begin(run: { id: string; sessionId: string; eventSeq: number; at: number }): Promise<void> {
      const { id, sessionId, eventSeq, at } = run;
      await db.run.create({ data: { id, sessionId, eventSeq, status: "running", startedAt: new Date(at) } });
    },

    async setStatus(id: string, status: (typeof OPEN_RUN)[number]): Promise<void> {
      await db.run.update({ where: { id }, data: { status } });
    },

    /** Requests a stop. The first request counts, and a run that has ended is left alone. True if this one counted. */
    async requestCancel(id: string, cause: CancelCause): Promise<boolean> {
      const { count } = await db.run.updateMany({
        where: { id, status: { not: "ended" }, cancelledBy: null },
        data: { cancelledBy: storedCause(cause) },
      });
      return count > 0;
    },

    /** True if the run goes on and nobody has stopped it. No stop can intervene until the transaction ends. */
    async holdOpen(id: string): Promise<boolean> {
      const where = { id, status: { not: "ended" }, cancelledBy: null };
      const { count } = await db.run.updateMany({ where, data: { cancelledBy: null } });
      return count > 0;
    },

    async end(id: string, outcome: QueryOutcome, at: number): Promise<void> {
      await db.run.update({
        where: { id },
        data: {
          status: "ended",
          outcome: outcome.type,
          errorCode: outcome.type === "error" ? outcome.error.code : null,
          endedAt: new Date(at),
        },
      });
    },
  };
}

function toRow(row: Stored<"Run">): RunRow {
  const status = row.status === "ended" || row.status === "parked" ? row.status : "running";
  const cancelledBy = row.cancelledBy === null ? null : causeOf(row.cancelledBy);
  return { ...row, status, cancelledBy, startedAt: row.startedAt.getTime(), endedAt: row.endedAt?.getTime() ?? null };
}
