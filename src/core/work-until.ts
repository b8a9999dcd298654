import { type AppError, toAppError } from "./protocol/errors.ts";
import type { Log } from "./protocol/log.ts";
import { type Clock, sleepUnlessAborted } from "./protocol/runtime.ts";

/** Delay before work that returned or failed is restarted, in milliseconds. */
const AGAIN_MS = 5_000;
/** Maximum delay of the exponential backoff for work that keeps failing, in milliseconds. */
const AGAIN_AT_LAST_MS = 60_000;

/** Keeps the work running until the signal aborts, restarting it with a delay if it returns or fails. Never rejects. */
export async function workUntil(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  { clock, log, name }: { readonly clock: Clock; readonly log: Log; readonly name: string },
): Promise<void> {
  for (let againMs = AGAIN_MS; !signal.aborted; ) {
    const begunAt = clock.now();
    let error: AppError | null = null;
    try {
      await work(signal);
    } catch (thrown) {
      error = toAppError(thrown);
    }
    if (signal.aborted) return;
    // Work that ran longer than the last delay did not fail at its start, so the backoff is reset.
    if (error === null || clock.now() - begunAt > againMs) againMs = AGAIN_MS;
    if (error !== null) log.warn({ err: error, name, againMs }, "work_failed");
    await sleepUnlessAborted(clock, againMs, signal);
    if (error !== null) againMs = Math.min(AGAIN_AT_LAST_MS, 2 * againMs);
  }
}
