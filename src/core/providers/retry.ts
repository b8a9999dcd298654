import type { ErrorCode, ProviderError } from "../protocol/errors.ts";
import type { Random } from "../protocol/runtime.ts";

interface RetryRule {
  /** Infinity: as often as `patienceMs` leaves time for. */
  readonly retries: number;
  /** Upper bound of the first wait; doubles with each attempt. */
  readonly baseMs: number;
  /** A provider that asks for more than this is given up for now. */
  readonly longestAskedMs: number;
}

/** A longer wait than this is no wait any more: the caller fails over instead. */
const LONGEST_WAIT_MS = 60_000;

/** Codes that are not named here are never retried: trying again cannot help, or costs without end. */
const RULES: Partial<Record<ErrorCode, RetryRule>> = {
  // Both retries begin within 5 s, after which the fallback model's turn comes.
  overloaded: { retries: 2, baseMs: 1_500, longestAskedMs: 2_400 },
  rate_limited: { retries: 4, baseMs: 2_000, longestAskedMs: LONGEST_WAIT_MS },
  stalled: { retries: 2, baseMs: 500, longestAskedMs: LONGEST_WAIT_MS },
  incomplete_stream: { retries: 2, baseMs: 500, longestAskedMs: LONGEST_WAIT_MS },
  network: { retries: Infinity, baseMs: 1_000, longestAskedMs: LONGEST_WAIT_MS },
  provider_failed: { retries: Infinity, baseMs: 1_000, longestAskedMs: LONGEST_WAIT_MS },
  empty_response: { retries: 1, baseMs: 500, longestAskedMs: LONGEST_WAIT_MS },
};

/** A fallback model takes over after this, and an overloaded model is left. Milliseconds. */
const SOON_MS = 5_000;
/** How long a provider that fails or cannot be reached is tried while nothing can take its place. Milliseconds. */
const OUTAGE_MS = 60_000;

/** The provider fails, or cannot be reached: what a moment's patience may mend. */
export function isOutage({ code }: Pick<ProviderError, "code">): boolean {
  return code === "network" || code === "provider_failed";
}

export interface Tried {
  /** Counts from 0: the first failure. */
  readonly attempt: number;
  /** Since the first failure of this kind. Milliseconds. */
  readonly forMs: number;
  /** Another model can take over. */
  readonly hasFallback: boolean;
}

/** Milliseconds to wait before the next try of a failed call; null when its time is over, or trying cannot help. */
export function nextTryMs(error: ProviderError, { attempt, forMs, hasFallback }: Tried, random: Random): number | null {
  const delayMs = retryDelayMs(error, attempt, random);
  if (delayMs === null) return null;
  const leftMs = patienceMs(error, hasFallback) - forMs;
  if (delayMs <= leftMs) return delayMs;
  // One last try at the end of an outage's time, unless the provider has asked for more.
  return isOutage(error) && error.retryAfterMs === undefined && leftMs > 0 ? leftMs : null;
}

function patienceMs(error: ProviderError, hasFallback: boolean): number {
  if (isOutage(error)) return hasFallback ? SOON_MS : OUTAGE_MS;
  return error.code === "overloaded" ? SOON_MS : Infinity;
}

/**
 * Milliseconds to wait before trying a failed call again, or null when it should not be. `attempt` counts
 * from 0: the first failure. Waits are spread over their whole range (full jitter), so that many sessions
 * that failed together do not come back together; those of an outage over the upper half, since many follow each
 * other. A wait the provider asked for is kept, and spread above.
 * Retrying is right only while nothing was shown to people, or when the caller takes back what was.
 */
export function retryDelayMs(error: ProviderError, attempt: number, random: Random): number | null {
  const rule = RULES[error.code];
  if (rule === undefined || attempt >= rule.retries) return null;
  const spreadMs = rule.baseMs * 2 ** attempt * (isOutage(error) ? 0.5 + random.next() / 2 : random.next());
  if (error.retryAfterMs === undefined) return Math.round(Math.min(spreadMs, LONGEST_WAIT_MS));
  if (error.retryAfterMs > rule.longestAskedMs) return null;
  return Math.round(error.retryAfterMs + Math.min(spreadMs, error.retryAfterMs / 10));
}
