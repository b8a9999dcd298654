import type { Cluster } from "../cluster.ts";
import type { Log } from "../protocol/log.ts";
import type { PlatformName } from "../protocol/platform.ts";
import { type Clock, slept } from "../protocol/runtime.ts";
import type { MessageFinaliser } from "./message-finaliser.ts";

export interface StaleMessages {
  readonly platform: PlatformName;
  readonly finaliser: Pick<MessageFinaliser, "finaliseStale">;
  readonly clock: Clock;
  readonly log: Log;
}

/** How soon what the database could not be asked for is asked for again. Milliseconds. */
const ASK_AGAIN_MS = 5_000;

/** How often it is looked whether all other processes still live. Milliseconds. */
const LOOK_EVERY_MS = 500;

/** What living processes have under way is theirs, for so long after the end of its run. Milliseconds. */
const THEIRS_MS = 60_000;

/** How often what nobody has under way is looked for, though everybody lives. Milliseconds. */
const ANYWAY_EVERY_MS = 20_000;

/** Begins with the messages that the process before this one has left. A database that does not answer now may do so later. */
export async function finaliseLeft(
  { platform, finaliser, clock, log }: StaleMessages,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await finaliser.finaliseStale(platform);
    } catch (error) {
      log.warn({ platform, err: error }, "stale_messages_not_read");
    }
    await slept(clock, ASK_AGAIN_MS, signal);
  }
}

/**
 * Brings messages of processes that are no more to their last states, until the signal aborts: at once when one is gone, with
 * those that ended while it was there. One process does that for a platform.
 */
export async function finaliseForDead(
  { platform, finaliser, clock, cluster }: StaleMessages & { readonly cluster: Pick<Cluster, "others"> },
  signal: AbortSignal,
): Promise<void> {
  let living: ReadonlySet<string> | null = null;
  let lookedAt = clock.now();
  while (!signal.aborted) {
    const now = clock.now();
    const others: ReadonlySet<string> = new Set((await cluster.others()).map(({ id }) => id));
    // Whoever had this role before is gone, too.
    if (living === null || [...living].some((id) => !others.has(id))) await finaliser.finaliseStale(platform, now);
    else if (now - lookedAt >= ANYWAY_EVERY_MS) {
      lookedAt = now;
      await finaliser.finaliseStale(platform, now - THEIRS_MS);
    }
    living = others;
    await slept(clock, LOOK_EVERY_MS, signal);
  }
}
