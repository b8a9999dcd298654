import { type Clock, sleepUnlessAborted } from "../../core/protocol/runtime.ts";
import type { FeatureHost } from "../../feature-host.ts";

/** How long no run must have been active before the database is checked, in milliseconds. */
const QUIET_MS = 10_000;

/** Checks regularly for changes by other processes, but only while no runs are active, so that no answer waits. */
export function createIdlePoller(
  poll: () => Promise<void>,
  { clock, log }: { readonly clock: Pick<Clock, "now" | "sleep"> } & Pick<FeatureHost, "log">,
) {
  let activeAt = clock.now();
  return {
    noteActivity: (): void => {
      activeAt = clock.now();
    },
    async run(signal: AbortSignal): Promise<void> {
      while (await sleepUnlessAborted(clock, QUIET_MS, signal)) {
        if (clock.now() - activeAt < QUIET_MS) continue;
        await poll().catch((error: unknown) => log.warn({ err: error }, "definitions_not_read"));
      }
    },
  };
}
