import { type Clock, sleepUnlessAborted } from "../protocol/runtime.ts";
import type { OpenCluster } from "../store/cluster/cluster.ts";
import { unlessAborted } from "../unless-aborted.ts";
import type { Claims } from "./claims.ts";

/** Polling interval while claims wait and while none do, in milliseconds. */
const LOOK_MS = { crowded: 250, idle: 1_000 };

interface FairnessScope {
  readonly claims: Pick<Claims, "keepFair">;
  readonly cluster: Pick<OpenCluster, "publish">;
  readonly clock: Clock;
}

/** Makes channels take turns while more sessions wait than there are free slots, until the signal aborts. */
export async function keepChannelsFair({ claims, cluster, clock }: FairnessScope, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { waiting, moved } = await unlessAborted(claims.keepFair(), signal);
    if (moved > 0) await cluster.publish("claims", "");
    await sleepUnlessAborted(clock, waiting > 0 ? LOOK_MS.crowded : LOOK_MS.idle, signal);
  }
}
