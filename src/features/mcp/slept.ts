import type { Clock } from "../../core/protocol/runtime.ts";

/** Sleeps; false when the signal aborts first. */
export async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
