const BARS = "▁▂▃▄▅▆▇";

/** A finished run. The duration is null if it is unknown. */
export interface PastRun {
  readonly success: boolean;
  readonly durationMs: number | null;
}

/** One sign for each run, oldest first: a bar for its duration relative to the longest, or ✗ for a failure. */
export function historyStrip(runs: readonly PastRun[]): string {
  const longest = Math.max(1, ...runs.map(({ durationMs }) => durationMs ?? 0));
  const bar = (durationMs: number | null) => BARS.charAt(Math.round(((durationMs ?? 0) / longest) * (BARS.length - 1)));
  return runs.map(({ success, durationMs }) => (success ? bar(durationMs) : "✗")).join("");
}
