import { type Clock, slept } from "../../core/protocol/runtime.ts";
import type { FeatureHost } from "../../feature-host.ts";

/** How long nothing has been heard of runs before the database is asked what another process has set. Milliseconds. */
const QUIET_MS = 10_000;

/** Looks for what another process has set, again and again, while nothing is heard of runs: no answer waits for it. */
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
      while (await slept(clock, QUIET_MS, signal)) {
        if (clock.now() - heardAt < QUIET_MS) continue;
        await look().catch((error: unknown) => log.warn({ err: error }, "definitions_not_read"));
      }
    },
  };
}
