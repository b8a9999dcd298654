import { isDatabaseAway } from "../protocol/database-failure.ts";
import type { Log } from "../protocol/log.ts";
import type { Clock } from "../protocol/runtime.ts";

/** How often what the database was away for is tried, and how long after the time before. Milliseconds. */
const ATTEMPTS = 3;
const AGAIN_MS = 500;

export interface TryAgain {
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when there is no more time for it. */
  readonly signal: AbortSignal;
  /** What is tried, for the log. */
  readonly what: { readonly runId: string; readonly key: string };
}

/**
 * Does it again where the database was away for a moment. An attempt that has failed may have come about all the same: what is
 * done must count once however often it is done. `attempt` counts from 1.
 */
export async function tryAgain<T>(
  work: (attempt: number) => Promise<T>,
  { clock, log, signal, what }: TryAgain,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt === ATTEMPTS || !isDatabaseAway(error) || signal.aborted) throw error;
      log.warn({ err: error, ...what, attempt }, "database_tried_again");
      await clock.sleep(AGAIN_MS, signal);
    }
  }
}
