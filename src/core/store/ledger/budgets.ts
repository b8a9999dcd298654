import type { Client } from "../database/client.ts";
import type { Amount } from "./usage-report.ts";

/** Maximum cost and tokens of a call, and those of its request alone. */
export interface Reservation extends Amount {
  readonly runId: string;
  readonly sessionId: string;
  readonly personId: string;
  readonly channelId: string;
  readonly model: string;
  readonly inputTokens: number;
  /** US dollars; null if the price is unknown. */
  readonly inputUsd: number | null;
}

export interface HeldReservation extends Reservation {
  readonly since: number;
}

/** Maximum costs of model calls under way. To reserve, a transaction takes `lock` and then reads them. */
export function budgetWrites(db: Client) {
  return {
    ...ownReservation(db),

    /** Makes this the only transaction that reserves, until it ends. */
    async lock(): Promise<void> {
      await db.budgetLock.upsert({
        where: { id: "all" },
        create: { id: "all", taken: 1 },
        update: { taken: { increment: 1 } },
      });
    },

    /**
     * The reservations of calls that are, or may be, under way. A reservation is over once its run has stored the usage
     * of a further call; its row is deleted here. Read before what was spent, so that a call that ends meanwhile counts twice
     * rather than not at all.
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
  };
}

function ownReservation(db: Client) {
  return {
    /** Reserves, replacing the run's earlier reservation. */
    async reserve(reservation: Reservation, at: number): Promise<void> {
      const { runId, sessionId, personId, channelId, model, inputTokens, inputUsd, costUsd, tokens } = reservation;
      const calls = await db.usage.count({ where: { runId } });
      const owner = { sessionId, personId, channelId };
      const row = { ...owner, model, inputTokens, inputUsd, costUsd, tokens, calls, createdAt: new Date(at) };
      await db.budgetReservation.upsert({ where: { runId }, create: { runId, ...row }, update: row });
    },

    /** Deletes and returns the run's reservation; null if there is none, or if its call's usage is stored. */
    async takeLost(runId: string): Promise<Reservation | null> {
      const row = await db.budgetReservation.findUnique({ where: { runId } });
      if (row === null) return null;
      await db.budgetReservation.deleteMany({ where: { runId } });
      return (await db.usage.count({ where: { runId } })) > row.calls ? null : row;
    },

    /** Deletes the run's reservation, if any. */
    async withdraw(runId: string): Promise<void> {
      await db.budgetReservation.deleteMany({ where: { runId } });
    },
  };
}
