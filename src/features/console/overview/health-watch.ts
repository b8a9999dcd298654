import type { PlatformHealth } from "../../../core/platform/chat-platform.ts";
import type { PlatformName } from "../../../core/platform/thread.ts";
import { type Clock, sleepUnlessAborted } from "../../../core/protocol/runtime.ts";
import type { TeamOverview } from "../../../feature.ts";

/** Precision of the times of a platform's state, in milliseconds. */
const LOOK_MS = 500;

type Watched = Omit<TeamOverview["platforms"][number], "name" | "title">;

export interface HealthWatch {
  states(): ReadonlyMap<PlatformName, Watched>;
  /** Keeps looking until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Remembers since when each platform is in its state, and its last problem. */
export function createHealthWatch(
  platforms: () => ReadonlyMap<PlatformName, PlatformHealth>,
  clock: Pick<Clock, "now" | "sleep">,
): HealthWatch {
  let states = new Map<PlatformName, Watched>();
  const connectedOnce = new Set<PlatformName>();
  const look = (): ReadonlyMap<PlatformName, Watched> => {
    const now = clock.now();
    states = new Map(
      [...platforms()].map(([name, health]) => {
        const before = states.get(name);
        const isSame = before?.connected === health.connected;
        if (health.connected) connectedOnce.add(name);
        // Messages before the first connection are not problems.
        const isProblem = !health.connected && connectedOnce.has(name) && (!isSame || before.detail !== health.detail);
        const problem = isProblem ? { at: now, detail: health.detail } : null;
        return [
          name,
          { ...health, since: isSame ? before.since : now, lastProblem: problem ?? before?.lastProblem ?? null },
        ];
      }),
    );
    return states;
  };
  return {
    states: look,
    async run(signal) {
      while (!signal.aborted) {
        look();
        await sleepUnlessAborted(clock, LOOK_MS, signal);
      }
    },
  };
}
