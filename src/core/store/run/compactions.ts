import { type Projection, WHOLE_HISTORY } from "../../events/projection.ts";
import { labelFrom } from "../../trust/label.ts";
import type { Client } from "../database/client.ts";

export interface CompactionRow {
  readonly projection: Projection;
  /** Milliseconds since the epoch; null if the history was never shortened. */
  readonly at: number | null;
}

const NEVER: CompactionRow = { projection: WHOLE_HISTORY, at: null };

export function compactionReads(db: Client) {
  return {
    /** The session's current projection. */
    async newestOf(sessionId: string): Promise<CompactionRow> {
      const row = await db.compaction.findFirst({ where: { sessionId }, orderBy: { number: "desc" } });
      if (row === null) return NEVER;
      const { number, evictedResults, failures, summary, summarisedMessages, summaryMadeAt } = row;
      const label = row.label === null ? {} : { label: labelFrom(row.label) };
      const made =
        summary === null ? null : { text: summary, messages: summarisedMessages, madeAt: summaryMadeAt, ...label };
      const projection = { number, evictedResults, failures, summary: made };
      return { projection, at: row.createdAt.getTime() };
    },
  };
}

export function compactionWrites(db: Client) {
  return {
    ...compactionReads(db),

    async add(sessionId: string, runId: string, change: { projection: Projection; at: number }): Promise<void> {
      const { summary, ...columns } = change.projection;
      await db.compaction.create({
        data: {
          ...columns,
          sessionId,
          runId,
          summary: summary?.text ?? null,
          summarisedMessages: summary?.messages ?? 0,
          summaryMadeAt: summary?.madeAt ?? 0,
          label: summary?.label === undefined ? null : JSON.stringify(summary.label),
          createdAt: new Date(change.at),
        },
      });
    },
  };
}
