import { z } from "zod";
import type { Cluster } from "../cluster.ts";
import { holdUntil } from "../hold-roles.ts";
import { platformNameSchema } from "../platform/thread.ts";
import { sleepUnlessAborted } from "../protocol/runtime.ts";
import {
  absenceNotice,
  MIN_ANNOUNCED_MS,
  type MissedOptions,
  recordPresence,
  takeMissedSince,
  tryTake,
} from "./missed-messages.ts";

interface SharedPresence extends MissedOptions {
  readonly cluster: Pick<Cluster, "hold" | "others">;
}

/** Interval at which a process checks whether it receives the platform's events, in milliseconds. */
const LOOK_EVERY_MS = 500;

/** Interval at which the platform is recorded as seen, in milliseconds. */
const BEAT_MS = 5_000;

/** The state that processes share: since when each has received a platform's events without a gap. */
const reportSchema = z.object({ receivingSince: z.record(platformNameSchema, z.number()) });

/**
 * The same as `keepCaughtUp` when several processes share a platform's events: one receiving process catches up for all.
 * Nothing counts as missed while any of them was receiving.
 */
export async function keepCaughtUpTogether(options: SharedPresence, signal: AbortSignal): Promise<void> {
  const { clock, cluster, platform } = options;
  const role = `catch-up:${platform.descriptor.name}`;
  const receives = () => (platform.health().receivingSince ?? null) !== null;
  while (!signal.aborted) {
    if (receives()) {
      const disconnected = new AbortController();
      const holding = holdUntil(
        cluster,
        { role, work: (held) => catchUpWhileHeld(options, held) },
        AbortSignal.any([signal, disconnected.signal]),
      );
      while (receives() && !signal.aborted) await sleepUnlessAborted(clock, LOOK_EVERY_MS, signal);
      disconnected.abort();
      await holding;
    }
    await sleepUnlessAborted(clock, LOOK_EVERY_MS, signal);
  }
}

async function catchUpWhileHeld(options: SharedPresence, signal: AbortSignal): Promise<void> {
  const { clock, platform } = options;
  while (!signal.aborted) {
    const { receivingSince: own = null } = platform.health();
    const take = () => takeGap(options, signal);
    if (own !== null && (await tryTake(options, take, signal))) await recordPresence(options);
    await sleepUnlessAborted(clock, BEAT_MS, signal);
  }
}

/**
 * Takes what was sent between the last recorded time that any process received events and the time since when one
 * receives again.
 */
async function takeGap(options: SharedPresence, signal: AbortSignal): Promise<void> {
  const { store, platform, timezone } = options;
  const seenAt = await store.presence.seenAt(platform.descriptor.name);
  if (seenAt === null) return;
  const since = await receivingSinceOfAny(options);
  if (since <= seenAt) return;
  const notice = since - seenAt >= MIN_ANNOUNCED_MS ? absenceNotice({ from: seenAt, to: since }, timezone) : null;
  await takeMissedSince(options, { seenAt, notice }, signal);
}

/** Since when at least one process has been receiving without a gap, in milliseconds since the epoch. */
async function receivingSinceOfAny({ cluster, platform, clock }: SharedPresence): Promise<number> {
  const { name } = platform.descriptor;
  const others = (await cluster.others()).map(({ state }) => reportSchema.safeParse(state).data?.receivingSince[name]);
  const own = platform.health().receivingSince ?? clock.now();
  return Math.min(own, ...others.filter((each) => each !== undefined));
}
