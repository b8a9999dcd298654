import type { Client } from "../database/client.ts";
import { AMOUNT, amountOf } from "./usage-report.ts";

/** What calls came to, or may come to at most. */
export interface Amount {
  readonly costUsd: number;
  readonly tokens: number;
}

/** Calls that fit the filter in every field, since a time in milliseconds since the epoch. */
export interface SpendFilter {
  readonly runIds?: readonly string[];
  readonly sessionIds?: readonly string[];
  readonly personId?: string;
  readonly channelId?: string;
  readonly since?: number;
}

/** The most that a call may come to, and what its request alone does. */
export interface Reservation extends Amount {
  readonly runId: string;
  readonly sessionId: string;
  readonly personId: string;
  readonly channelId: string;
  readonly model: string;
  readonly inputTokens: number;
  /** US dollars; null when the price is unknown. */
  readonly inputUsd: number | null;
}

export interface HeldReservation extends Reservation {
  readonly since: number;
}

/** What model calls may cost at most while they go on. Whoever reserves looks at it inside a transaction that holds the lock. */
export function budgetWrites(db: Client) {
  return {
    ...ownReservation(db),

    /** From here to its end, the transaction is the only one that reserves. */
    async lock(): Promise<void> {
      await db.budgetLock.upsert({
        where: { id: "all" },
        create: { id: "all", taken: 1 },
        update: { taken: { increment: 1 } },
      });
    },

    /**
     * The reservations of calls that go on, or may. One is over when its run has stored the usage of a further call;
     * such rows are deleted. Read before `spent`, so that a call that ends meanwhile counts twice rather than not at all.
     */
    async held(): Promise<HeldReservation[]> {
      const rows = await db.budgetReservation.findMany();
      if (rows.length === 0) return [];
      const runIds = rows.map(({ runId }) => runId);
      const counts = await db.usage.groupBy({ by: ["runId"], where: { runId: { in: runIds } }, _count: true });
      const calls = new Map(counts.map(({ runId, _count }) => [runId, _count]));
      const over = rows.filter((row) => (calls.get(row.runId) ?? 0) > row.calls).map(({ runId }) => runId);
      if (over.length > 0) await db.budgetReservation.deleteMany({ where: { runId: { in: over } } });
      const held = rows.filter(({ runId }) => !over.includes(runId));
      return held.map(({ createdAt, ...row }) => ({ ...row, since: createdAt.getTime() }));
    },

    /** Calls whose price is unknown count with their tokens only. */
    async spent({ since, runIds, sessionIds, ...account }: SpendFilter): Promise<Amount> {
      const runs = runIds === undefined ? {} : { runId: { in: [...runIds] } };
      const sessions = sessionIds === undefined ? {} : { sessionId: { in: [...sessionIds] } };
      const { _sum: sum } = await db.usage.aggregate({
        where: {
          ...account,
          ...runs,
          ...sessions,
          ...(since === undefined ? {} : { createdAt: { gte: new Date(since) } }),
        },
        _sum: AMOUNT,
      });
      return amountOf(sum);
    },

    /** A session's runs that began since then, oldest first; times in milliseconds since the epoch. */
    async runsSince(sessionId: string, since: number): Promise<{ startedAt: number; endedAt: number | null }[]> {
      const rows = await db.run.findMany({
        where: { sessionId, startedAt: { gt: new Date(since) } },
        orderBy: { startedAt: "asc" },
        select: { startedAt: true, endedAt: true },
      });
      return rows.map((row) => ({ startedAt: row.startedAt.getTime(), endedAt: row.endedAt?.getTime() ?? null }));
    },
  };
}

/** The reservation of one run's call. */
function ownReservation(db: Client) {
  return {
    /** In place of what the run had reserved before. */
    async reserve(reservation: Reservation, at: number): Promise<void> {
      const { runId, sessionId, personId, channelId, model, inputTokens, inputUsd, costUsd, tokens } = reservation;
      const calls = await db.usage.count({ where: { runId } });
      const owner = { sessionId, personId, channelId };
      const row = { ...owner, model, inputTokens, inputUsd, costUsd, tokens, calls, createdAt: new Date(at) };
      await db.budgetReservation.upsert({ where: { runId }, create: { runId, ...row }, update: row });
    },

    /** Ends what the run has reserved, and answers it; null when there is nothing, or its call's usage is stored. */
    async takeLost(runId: string): Promise<Reservation | null> {
      const row = await db.budgetReservation.findUnique({ where: { runId } });
      if (row === null) return null;
      await db.budgetReservation.deleteMany({ where: { runId } });
      return (await db.usage.count({ where: { runId } })) > row.calls ? null : row;
    },

    /** Whatever the run has reserved. */
    async withdraw(runId: string): Promise<void> {
      await db.budgetReservation.deleteMany({ where: { runId } });
    },
  };
}
