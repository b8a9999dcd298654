/** Usage and cost that one person may see. */
export interface TeamUsage {
  /** Days of UTC, the oldest first: `2026-11-23`. */
  readonly days: readonly string[];
  readonly total: UsageFigures;
  /** The most expensive first; empty if usage is grouped by day. */
  readonly rows: readonly UsageRow[];
  /** US dollars of each day. */
  readonly perDay: readonly number[];
  /** False if only channels that the viewer may see are counted. */
  readonly isAll: boolean;
  /** Labels of the active filters. */
  readonly chosen: readonly { readonly by: UsageGroup; readonly label: string }[];
}

export type UsageGroup = "day" | "model" | "channel" | "person" | "job";

export interface UsageFigures {
  /** US dollars of the calls whose price is known. */
  readonly costUsd: number;
  /** Null for jobs, of which only dollars are known. */
  readonly tokens: number | null;
  /** Number of model calls, or of runs for a job. */
  readonly calls: number;
  /** Number of calls whose price is unknown. */
  readonly unpriced: number;
}

export interface UsageRow extends UsageFigures {
  /** Filter value for this row; null if the row stands for several items and cannot be a filter. */
  readonly key: string | null;
  readonly label: string;
  /** US dollars of each day. */
  readonly perDay: readonly number[];
}
