import type { Clock } from "../../core/protocol/runtime.ts";

/** How many one person begins within a minute at most. */
const MOST = 10;
const MINUTE_MS = 60_000;

/** How often somebody may try keys: each trial asks a provider from this machine. */
export function createTrials(clock: Pick<Clock, "now">): { readonly begin: (by: string) => boolean } {
  let begun: readonly { readonly by: string; readonly at: number }[] = [];
  return {
    begin(by) {
      const now = clock.now();
      begun = begun.filter(({ at }) => at > now - MINUTE_MS);
      if (begun.filter((each) => each.by === by).length >= MOST) return false;
      begun = [...begun, { by, at: now }];
      return true;
    },
  };
}
