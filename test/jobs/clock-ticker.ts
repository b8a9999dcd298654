import type { Ticker } from "../../src/jobs/scheduling/ticker.ts";
import type { ManualClock } from "../support/manual-clock.ts";

/** A ticker on the test's clock. */
export function clockTicker(clock: ManualClock): Ticker {
  const cancels = new Map<string, () => void>();
  let tick: (jobId: string) => void = () => undefined;
  const clear = (jobId: string) => {
    cancels.get(jobId)?.();
    cancels.delete(jobId);
    return Promise.resolve();
  };
  return {
    start(onTick) {
      tick = onTick;
      return Promise.resolve();
    },
    async set(jobId, at) {
      await clear(jobId);
      cancels.set(
        jobId,
        clock.after(at - clock.now(), () => tick(jobId)),
      );
    },
    clear,
    async stop() {
      for (const jobId of cancels.keys()) await clear(jobId);
    },
  };
}
