import { type AppError, toAppError } from "./protocol/errors.ts";
import type { Log } from "./protocol/log.ts";
import { type Clock, slept } from "./protocol/runtime.ts";

/** How long until work that was over by itself, or failed, is begun again. Milliseconds. */
const AGAIN_MS = 5_000;
/** Work that fails whenever it is begun waits twice as long each time, up to this. Milliseconds. */
const AGAIN_AT_LAST_MS = 60_000;

/** Works until the signal aborts: work that is over before, or fails, is begun again after a while. Never rejects. */
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
    // What has worked for a while has not failed at its beginning.
    if (error === null || clock.now() - begunAt > againMs) againMs = AGAIN_MS;
    if (error !== null) log.warn({ err: error, name, againMs }, "work_failed");
    await slept(clock, againMs, signal);
    if (error !== null) againMs = Math.min(AGAIN_AT_LAST_MS, 2 * againMs);
  }
}
