import { isDatabaseUnavailable } from "../protocol/database-failure.ts";
import type { Log } from "../protocol/log.ts";
import type { Clock } from "../protocol/runtime.ts";

/** Number of tries while the database is unreachable, and the delay between them in milliseconds. */
const ATTEMPTS = 3;
const AGAIN_MS = 500;

export interface RetryScope {
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when there is no time left for retries. */
  readonly signal: AbortSignal;
  /** Names the work in the log. */
  readonly what: { readonly runId: string; readonly key: string };
}

/**
 * Retries work while the database is briefly unreachable. A failed attempt may have been committed nevertheless, so the
 * work must be idempotent. `attempt` counts from 1.
 */
export async function tryAgain<T>(
  work: (attempt: number) => Promise<T>,
  { clock, log, signal, what }: RetryScope,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt === ATTEMPTS || !isDatabaseUnavailable(error) || signal.aborted) throw error;
      log.warn({ err: error, ...what, attempt }, "database_tried_again");
      await clock.sleep(AGAIN_MS, signal);
    }
  }
}
