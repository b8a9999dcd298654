import type { Clock } from "./runtime.ts";

/** Sleeps; false when the signal aborts first. */
export async function slept(clock: Pick<Clock, "sleep">, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
