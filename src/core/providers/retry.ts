import type { ErrorCode, ProviderError } from "../protocol/errors.ts";
import type { Random } from "../protocol/runtime.ts";

interface RetryRule {
  /** Infinity: as often as `patienceMs` allows. */
  readonly retries: number;
  /** Upper bound of the first wait; doubles with each attempt. */
  readonly baseMs: number;
  /** If a provider asks for a longer wait, it is given up for now. */
  readonly longestAskedMs: number;
}

/** Maximum wait; instead of waiting longer, the caller fails over. */
const LONGEST_WAIT_MS = 60_000;

/** Codes not listed here are never retried, because that cannot help, or costs without end. */
const RULES: Partial<Record<ErrorCode, RetryRule>> = {
  // Both retries begin within 5 s, after which the fallback model takes over.
  overloaded: { retries: 2, baseMs: 1_500, longestAskedMs: 2_400 },
  rate_limited: { retries: 4, baseMs: 2_000, longestAskedMs: LONGEST_WAIT_MS },
  stalled: { retries: 2, baseMs: 500, longestAskedMs: LONGEST_WAIT_MS },
  incomplete_stream: { retries: 2, baseMs: 500, longestAskedMs: LONGEST_WAIT_MS },
  network: { retries: Infinity, baseMs: 1_000, longestAskedMs: LONGEST_WAIT_MS },
  provider_failed: { retries: Infinity, baseMs: 1_000, longestAskedMs: LONGEST_WAIT_MS },
  empty_response: { retries: 1, baseMs: 500, longestAskedMs: LONGEST_WAIT_MS },
};

/** Time after which a fallback model takes over, and an overloaded model is given up. In milliseconds. */
const SOON_MS = 5_000;
/** How long an unreachable or failing provider is retried without a fallback. In milliseconds. */
const OUTAGE_MS = 60_000;

/** Whether the provider fails or cannot be reached, which a short wait may fix. */
export function isOutage({ code }: Pick<ProviderError, "code">): boolean {
  return code === "network" || code === "provider_failed";
}

export interface Tried {
  /** Counts from 0, the first failure. */
  readonly attempt: number;
  /** Milliseconds since the first failure of this kind. */
  readonly forMs: number;
  /** Whether another model can take over. */
  readonly hasFallback: boolean;
}

/** Milliseconds until the next attempt of a failed call; null if its time is over, or a retry cannot help. */
export function nextTryMs(error: ProviderError, { attempt, forMs, hasFallback }: Tried, random: Random): number | null {
  const delayMs = retryDelayMs(error, attempt, random);
  if (delayMs === null) return null;
  const leftMs = patienceMs(error, hasFallback) - forMs;
  if (delayMs <= leftMs) return delayMs;
  // One last attempt at the end of the time for an outage, unless the provider asked for a longer wait.
  return isOutage(error) && error.retryAfterMs === undefined && leftMs > 0 ? leftMs : null;
}

function patienceMs(error: ProviderError, hasFallback: boolean): number {
  if (isOutage(error)) return hasFallback ? SOON_MS : OUTAGE_MS;
  return error.code === "overloaded" ? SOON_MS : Infinity;
}

/**
 * Milliseconds until a failed call may be retried; null if it may not. `attempt` counts from 0, the first failure.
 * Waits are spread over their whole range (full jitter), so that sessions that failed together do not return together;
 * during an outage only over the upper half, since many waits follow each other. A wait that the provider asked for is
 * respected, with the spread added. Retries are right only while nothing was shown to people, or if the caller takes it
 * back.
 */
export function retryDelayMs(error: ProviderError, attempt: number, random: Random): number | null {
  const rule = RULES[error.code];
  if (rule === undefined || attempt >= rule.retries) return null;
  const spreadMs = rule.baseMs * 2 ** attempt * (isOutage(error) ? 0.5 + random.next() / 2 : random.next());
  if (error.retryAfterMs === undefined) return Math.round(Math.min(spreadMs, LONGEST_WAIT_MS));
  if (error.retryAfterMs > rule.longestAskedMs) return null;
  return Math.round(error.retryAfterMs + Math.min(spreadMs, error.retryAfterMs / 10));
}
