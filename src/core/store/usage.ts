import { z } from "zod";
import { cutsAfter } from "../context/resume.ts";
import { addUsage, NO_USAGE, type Usage, usageSchema } from "../protocol/usage.ts";
import type { StopReason } from "../providers/provider.ts";
import type { Client } from "./client.ts";
import { usageReport } from "./usage-report.ts";

const stopReasonSchema = z.enum(["end_turn", "tool_use", "max_tokens", "refusal"]);

export interface UsageEntry {
  readonly runId: string;
  /** From 1; below 0 a summary, by the number of its compaction. */
  readonly turn: number;
  readonly sessionId: string;
  readonly personId: string;
  readonly channelId: string;
  /** `provider/model` */
  readonly model: string;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly at: number;
}

export interface RunUsage {
  readonly turns: number;
  readonly usage: Usage;
  /** Null as soon as one call's price is unknown. */
  readonly costUsd: number | null;
  readonly lastStopReason: StopReason | null;
  /** Responses in a row that the output limit has cut off (context/resume.ts). */
  readonly cuts: number;
}

export function usageReads(db: Client) {
  return {
    ...usageReport(db),

    async ofRun(runId: string): Promise<RunUsage> {
      const rows = await db.usage.findMany({ where: { runId }, orderBy: { turn: "asc" } });
      return rows.reduce<RunUsage>(
        (sum, row) => {
          const stopReason = stopReasonSchema.parse(row.stopReason);
          const spent = {
            usage: addUsage(sum.usage, row),
            costUsd: sum.costUsd === null || row.costUsd === null ? null : sum.costUsd + row.costUsd,
          };
          if (row.turn < 0) return { ...sum, ...spent };
          return {
            ...spent,
            turns: sum.turns + 1,
            lastStopReason: stopReason,
            cuts: cutsAfter(sum.cuts, stopReason),
          };
        },
        { turns: 0, usage: NO_USAGE, costUsd: 0, lastStopReason: null, cuts: 0 },
      );
    },

    /** The session's newest turn; null before the first. */
    async newestTurn(sessionId: string): Promise<{ model: string; usage: Usage; at: number } | null> {
      const row = await db.usage.findFirst({
        where: { sessionId, turn: { gt: 0 } },
        orderBy: [{ createdAt: "desc" }, { turn: "desc" }],
      });
      return row === null ? null : { model: row.model, usage: usageSchema.parse(row), at: row.createdAt.getTime() };
    },
  };
}

export function usageWrites(db: Client) {
  return {
    ...usageReads(db),

    async add(entry: UsageEntry): Promise<void> {
      const { usage, at, ...columns } = entry;
      await db.usage.create({ data: { ...columns, ...usage, createdAt: new Date(at) } });
    },
  };
}
