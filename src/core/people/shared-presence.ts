import { z } from "zod";
import type { Cluster } from "../cluster.ts";
import { holdUntil } from "../hold-roles.ts";
import { platformNameSchema } from "../protocol/platform.ts";
import { slept } from "../protocol/runtime.ts";
import { awayLine, isTaken, type MissedOptions, noteSeen, TOLD_MS, takeSince } from "./missed.ts";

interface SharedPresence extends MissedOptions {
  readonly cluster: Pick<Cluster, "hold" | "others">;
}

/** How often a process looks whether the platform's events come to it. Milliseconds. */
const LOOK_EVERY_MS = 500;

/** How often it is noted that they come to some process. Milliseconds. */
const BEAT_MS = 5_000;

/** What a process reports of platforms whose events come to it: since when nothing of them can have been missed. */
const reportSchema = z.object({ receivingSince: z.record(platformNameSchema, z.number()) });

/**
 * As `keepUp`, where several processes share what the platform sends: one that receives looks after it for all. Nothing was
 * missed while any of them received.
 */
export async function keepUpTogether(options: SharedPresence, signal: AbortSignal): Promise<void> {
  const { clock, cluster, platform } = options;
  const role = `catch-up:${platform.descriptor.name}`;
  const receives = () => (platform.health().receivingSince ?? null) !== null;
  while (!signal.aborted) {
    if (receives()) {
      const deaf = new AbortController();
      const holding = holdUntil(
        cluster,
        { role, work: (held) => lookAfter(options, held) },
        AbortSignal.any([signal, deaf.signal]),
      );
      while (receives() && !signal.aborted) await slept(clock, LOOK_EVERY_MS, signal);
      deaf.abort();
      await holding;
    }
    await slept(clock, LOOK_EVERY_MS, signal);
  }
}

async function lookAfter(options: SharedPresence, signal: AbortSignal): Promise<void> {
  const { clock, platform } = options;
  while (!signal.aborted) {
    const { receivingSince: own = null } = platform.health();
    const take = () => takeGap(options, signal);
    if (own !== null && (await isTaken(options, take, signal))) await noteSeen(options);
    await slept(clock, BEAT_MS, signal);
  }
}

/** Takes what was sent between the last time that some process is known to have received and the first since when one does. */
async function takeGap(options: SharedPresence, signal: AbortSignal): Promise<void> {
  const { store, platform, timezone } = options;
  const seenAt = await store.presence.seenAt(platform.descriptor.name);
  if (seenAt === null) return;
  const since = await anybodySince(options);
  if (since <= seenAt) return;
  const away = since - seenAt >= TOLD_MS ? awayLine({ from: seenAt, to: since }, timezone) : null;
  await takeSince(options, { seenAt, away }, signal);
}

/** Since when some process has received all along. Milliseconds since the epoch. */
async function anybodySince({ cluster, platform, clock }: SharedPresence): Promise<number> {
  const { name } = platform.descriptor;
  const others = (await cluster.others()).map(({ state }) => reportSchema.safeParse(state).data?.receivingSince[name]);
  const own = platform.health().receivingSince ?? clock.now();
  return Math.min(own, ...others.filter((each) => each !== undefined));
}
