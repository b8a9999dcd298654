import { z } from "zod";

/** Tokens of one or more model calls. `inputTokens` excludes tokens read from or written to a cache. */
export const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});
export type Usage = z.infer<typeof usageSchema>;

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

/** Number of tokens sent, cached or not. */
export function inputTokensOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Omit<Usage, "outputTokens">): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/** Number of tokens sent, cached or not, and received. */
export function tokensOf(usage: Usage): number {
  return inputTokensOf(usage) + usage.outputTokens;
}

/** Sum in US dollars; null if any cost is unknown. */
export function sumOfCosts(costs: readonly (number | null)[]): number | null {
  return costs.reduce((sum, costUsd) => (sum === null || costUsd === null ? null : sum + costUsd), 0);
}
