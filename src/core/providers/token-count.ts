/** More than any model's window holds: a larger count is a provider's mistake. Tokens. */
const MOST = 100_000_000;

/** Tokens as a provider has counted them; 0 where it says nothing that can be one call's count. */
export function tokenCount(said: unknown): number {
  return typeof said === "number" && said >= 0 && said <= MOST ? Math.round(said) : 0;
}
