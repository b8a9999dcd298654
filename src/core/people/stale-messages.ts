import type { Cluster } from "../cluster.ts";
import type { PlatformName } from "../platform/thread.ts";
import type { Log } from "../protocol/log.ts";
import { type Clock, sleepUnlessAborted } from "../protocol/runtime.ts";
import type { MessageFinaliser } from "./message-finaliser.ts";

export interface StaleMessages {
  readonly platform: PlatformName;
  readonly finaliser: Pick<MessageFinaliser, "finaliseStale">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Delay before a failed read of the database is tried again, in milliseconds. */
const ASK_AGAIN_MS = 5_000;

/** Interval at which the other processes are checked, in milliseconds. */
const LOOK_EVERY_MS = 500;

/** How long after the end of a run its messages are left to the process that ran it, in milliseconds. */
const OWNER_GRACE_MS = 60_000;

/** Interval at which abandoned messages are searched for while all processes live, in milliseconds. */
const SEARCH_EVERY_MS = 20_000;

/** Starts finalising the messages that the previous process left, and retries while the database does not answer. */
export async function finaliseAbandoned(
  { platform, finaliser, clock, log }: StaleMessages,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await finaliser.finaliseStale(platform);
    } catch (error) {
      log.warn({ platform, err: error }, "stale_messages_not_read");
    }
    await sleepUnlessAborted(clock, ASK_AGAIN_MS, signal);
  }
}

/**
 * Finalises messages of processes that have died, until the signal aborts. The death of a process triggers this at
 * once, for runs that have ended by then. One process does this for a platform.
 */
export async function finaliseForDeadProcesses(
  { platform, finaliser, clock, cluster }: StaleMessages & { readonly cluster: Pick<Cluster, "others"> },
  signal: AbortSignal,
): Promise<void> {
  let living: ReadonlySet<string> | null = null;
  let lookedAt = clock.now();
  while (!signal.aborted) {
    const now = clock.now();
    const others: ReadonlySet<string> = new Set((await cluster.others()).map(({ id }) => id));
    // The previous holder of this role has died as well.
    if (living === null || [...living].some((id) => !others.has(id))) await finaliser.finaliseStale(platform, now);
    else if (now - lookedAt >= SEARCH_EVERY_MS) {
      lookedAt = now;
      await finaliser.finaliseStale(platform, now - OWNER_GRACE_MS);
    }
    living = others;
    await sleepUnlessAborted(clock, LOOK_EVERY_MS, signal);
  }
}
