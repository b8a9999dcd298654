import type { Clock } from "./protocol/runtime.ts";

/** Waits for work, and no longer than this. Rejects as it does. */
export async function atMost(
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
