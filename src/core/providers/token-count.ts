import type { Usage } from "../protocol/usage.ts";

/** More than any model's window holds: a larger count is a provider's mistake. Tokens. */
const MOST = 100_000_000;

/** Tokens as a provider has counted them; 0 where it says nothing that can be one call's count. */
export function tokenCount(said: unknown): number {
  return typeof said === "number" && said >= 0 && said <= MOST ? Math.round(said) : 0;
}

/** As OpenAI's APIs count: what was read from a cache or written to it is within the input; ours is apart. */
export function usageWithin(said: Readonly<Record<"input" | "output" | "read" | "written", unknown>>): Usage {
  const [cacheReadTokens, cacheWriteTokens] = [tokenCount(said.read), tokenCount(said.written)];
  const inputTokens = Math.max(0, tokenCount(said.input) - cacheReadTokens - cacheWriteTokens);
  return { inputTokens, outputTokens: tokenCount(said.output), cacheReadTokens, cacheWriteTokens };
}
