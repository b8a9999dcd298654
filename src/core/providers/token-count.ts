import type { Usage } from "../protocol/usage.ts";

/** More than any model's window; a larger count is a provider's mistake. In tokens. */
const MOST = 100_000_000;

/** A token count from a provider; 0 if it is not plausible for one call. */
export function tokenCount(value: unknown): number {
  return typeof value === "number" && value >= 0 && value <= MOST ? Math.round(value) : 0;
}

/** Converts the counts of OpenAI's APIs, in which the input includes tokens read from or written to a cache. */
export function usageWithin(counts: Readonly<Record<"input" | "output" | "read" | "written", unknown>>): Usage {
  const [cacheReadTokens, cacheWriteTokens] = [tokenCount(counts.read), tokenCount(counts.written)];
  const inputTokens = Math.max(0, tokenCount(counts.input) - cacheReadTokens - cacheWriteTokens);
  return { inputTokens, outputTokens: tokenCount(counts.output), cacheReadTokens, cacheWriteTokens };
}
