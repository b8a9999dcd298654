const BARS = "▁▂▃▄▅▆▇";

/** One sign for each run, oldest first: a bar for its duration relative to the longest, or ✗ for a failure. */
export function historyStrip(
  runs: readonly { readonly success: boolean; readonly durationMs: number | null }[],
): string {
  const longest = Math.max(1, ...runs.map(({ durationMs }) => durationMs ?? 0));
  const bar = (durationMs: number | null) => BARS.charAt(Math.round(((durationMs ?? 0) / longest) * (BARS.length - 1)));
  return runs.map(({ success, durationMs }) => (success ? bar(durationMs) : "✗")).join("");
}
