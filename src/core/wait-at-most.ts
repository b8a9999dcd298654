import type { Clock } from "./protocol/runtime.ts";

/** Waits until the work settles or the time is up, whichever is first. Rejects if the work rejects within that time. */
export async function waitAtMost(
  ms: number,
  work: void | PromiseLike<unknown>,
  clock: Pick<Clock, "after">,
): Promise<void> {
  const { promise: longEnough, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  try {
    await Promise.race([work, longEnough]);
  } finally {
    cancel();
  }
}
