import { type Clock, sleepUnlessAborted } from "../../core/protocol/runtime.ts";
import type { FeatureHost } from "../../feature-host.ts";

/** How long no run must have been active before the database is checked, in milliseconds. */
const QUIET_MS = 10_000;

/** Checks regularly for changes by other processes, but only while no runs are active, so that no answer waits. */
export function createLookout(
  look: () => Promise<void>,
  { clock, log }: { readonly clock: Pick<Clock, "now" | "sleep"> } & Pick<FeatureHost, "log">,
) {
  let heardAt = clock.now();
  return {
    heard: (): void => {
      heardAt = clock.now();
    },
    async run(signal: AbortSignal): Promise<void> {
      while (await sleepUnlessAborted(clock, QUIET_MS, signal)) {
        if (clock.now() - heardAt < QUIET_MS) continue;
        await look().catch((error: unknown) => log.warn({ err: error }, "definitions_not_read"));
      }
    },
  };
}
