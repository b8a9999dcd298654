/** What the work has cost, as far as one person may see it. */
export interface TeamUsage {
  /** Days of UTC, the oldest first: `2026-11-23`. */
  readonly days: readonly string[];
  readonly total: UsageFigures;
  /** The dearest first; none where it is summed up by day. */
  readonly rows: readonly UsageRow[];
  /** US dollars of each day. */
  readonly perDay: readonly number[];
  /** False: only what was spent in channels that the viewer sees. */
  readonly isAll: boolean;
  /** Names of what it was narrowed to. */
  readonly chosen: readonly { readonly by: UsageGroup; readonly label: string }[];
}

export type UsageGroup = "day" | "model" | "channel" | "person" | "job";

export interface UsageFigures {
  /** US dollars of the calls whose price is known. */
  readonly costUsd: number;
  /** Null where only dollars are known: of jobs. */
  readonly tokens: number | null;
  /** Model calls; of a job, how often it ran. */
  readonly calls: number;
  /** Calls whose price is unknown. */
  readonly unpriced: number;
}

export interface UsageRow extends UsageFigures {
  /** What it is narrowed to by; null where it may not be: it stands for several that are not told apart. */
  readonly key: string | null;
  readonly label: string;
  /** US dollars of each day. */
  readonly perDay: readonly number[];
}
