import type { Clock } from "../../core/protocol/runtime.ts";

/** Time after which platforms have shown the previews of most links. In milliseconds. */
const SHOWN_AFTER_MS = 1_500;

/** Waits until a message posted `at` this time shows the previews of its links. */
export async function untilLinksAreShown(at: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const left = Math.min(at + SHOWN_AFTER_MS - clock.now(), SHOWN_AFTER_MS);
  if (left > 0) await clock.sleep(left, signal);
}
