import { z } from "zod";
import { addUsage, NO_USAGE, sumOfCosts, type Usage, usageSchema } from "../../protocol/usage.ts";
import type { StopReason } from "../../providers/provider.ts";
import type { Client } from "../database/client.ts";
import { usageReport } from "./usage-report.ts";

const stopReasonSchema = z.enum(["end_turn", "tool_use", "max_tokens", "refusal"]);

export interface UsageEntry {
  readonly runId: string;
  /** The turn, from 1; below 0 a summary, by number of its compaction, or a call outside runs; 0 a call cut off. */
  readonly turn: number;
  readonly sessionId: string;
  readonly personId: string;
  readonly channelId: string;
  readonly model: string;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly at: number;
}

/** The turn of a call outside runs, which has none. Below 0, as for summaries. */
export const NO_TURN = -1;

/** A call that was cut off. Its cost may be an estimate. */
export type CutEntry = Omit<UsageEntry, "turn" | "stopReason">;

/** Stored in place of a stop reason, which such a call has none of. */
const CUT_OFF = "cut_off";

export interface RunUsage {
  readonly turns: number;
  readonly usage: Usage;
  /** Null if any call's price is unknown. */
  readonly costUsd: number | null;
}

/** One model call of a run; `turn` as in UsageEntry. */
export interface TurnUsage extends Pick<UsageEntry, "turn" | "usage" | "costUsd"> {
  readonly stopReason: StopReason | null;
}

export function usageReads(db: Client) {
  return {
    ...usageReport(db),

    /** A run's model calls, by turn. Those that were cut off or made a summary have no stop reason. */
    async turnsOf(runId: string): Promise<TurnUsage[]> {
      const rows = await db.usage.findMany({ where: { runId }, orderBy: { turn: "asc" } });
      return rows.map((row) => {
        const stopReason = row.turn > 0 ? stopReasonSchema.parse(row.stopReason) : null;
        return { turn: row.turn, usage: usageSchema.parse(row), costUsd: row.costUsd, stopReason };
      });
    },

    async ofRun(runId: string): Promise<RunUsage> {
      const rows = await db.usage.findMany({ where: { runId } });
      return {
        turns: rows.filter(({ turn }) => turn > 0).length,
        usage: rows.reduce(addUsage, NO_USAGE),
        costUsd: sumOfCosts(rows.map(({ costUsd }) => costUsd)),
      };
    },

    /** The session's newest turn; null before the first. */
    async newestTurn(sessionId: string): Promise<{ usage: Usage; at: number } | null> {
      const row = await db.usage.findFirst({
        where: { sessionId, turn: { gt: 0 } },
        orderBy: [{ createdAt: "desc" }, { turn: "desc" }],
      });
      return row === null ? null : { usage: usageSchema.parse(row), at: row.createdAt.getTime() };
    },
  };
}

export function usageWrites(db: Client) {
  return {
    ...usageReads(db),

    async add({ usage, at, ...columns }: UsageEntry): Promise<void> {
      await db.usage.create({ data: { ...columns, ...usage, createdAt: new Date(at) } });
    },

    async addCut({ usage, at, ...columns }: CutEntry): Promise<void> {
      const { runId } = columns;
      const before = await db.usage.count({ where: { runId, turn: 0 } });
      const row = { ...columns, turn: 0, cut: before + 1, stopReason: CUT_OFF };
      await db.usage.create({ data: { ...row, ...usage, createdAt: new Date(at) } });
    },
  };
}
