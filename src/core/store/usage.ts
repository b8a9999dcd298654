import { z } from "zod";
import { cutsAfter } from "../context/resume.ts";
import { addUsage, NO_USAGE, type Usage } from "../protocol/usage.ts";
import type { StopReason } from "../providers/provider.ts";
import type { Client } from "./client.ts";

const stopReasonSchema = z.enum(["end_turn", "tool_use", "max_tokens", "refusal"]);

export interface UsageEntry {
  readonly runId: string;
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
    async ofRun(runId: string): Promise<RunUsage> {
      const rows = await db.usage.findMany({ where: { runId }, orderBy: { turn: "asc" } });
      return rows.reduce<RunUsage>(
        (sum, row) => {
          const stopReason = stopReasonSchema.parse(row.stopReason);
          return {
            turns: sum.turns + 1,
            usage: addUsage(sum.usage, row),
            costUsd: sum.costUsd === null || row.costUsd === null ? null : sum.costUsd + row.costUsd,
            lastStopReason: stopReason,
            cuts: cutsAfter(sum.cuts, stopReason),
          };
        },
        { turns: 0, usage: NO_USAGE, costUsd: 0, lastStopReason: null, cuts: 0 },
      );
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
