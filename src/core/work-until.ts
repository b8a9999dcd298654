import { toAppError } from "./protocol/errors.ts";
import type { Log } from "./protocol/log.ts";
import type { Clock } from "./protocol/runtime.ts";

/** How long until work that was over by itself, or failed, is begun again. Milliseconds. */
const AGAIN_MS = 5_000;

/** Works until the signal aborts: work that is over before, or fails, is begun again after a while. Never rejects. */
export async function workUntil(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  { clock, log, name }: { readonly clock: Clock; readonly log: Log; readonly name: string },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: toAppError(error), name }, "work_failed");
    }
    await clock.sleep(AGAIN_MS, signal).catch(() => undefined); // aborted: the loop ends
  }
}
