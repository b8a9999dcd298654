import type { Clock } from "../../core/protocol/runtime.ts";

/** How long after a message platforms have shown what most links lead to. Milliseconds. */
const SHOWN_AFTER_MS = 1_500;

/** Waits until a message, posted `at`, shows what its links lead to. */
export async function untilLinksAreShown(at: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const left = Math.min(at + SHOWN_AFTER_MS - clock.now(), SHOWN_AFTER_MS);
  if (left > 0) await clock.sleep(left, signal);
}
