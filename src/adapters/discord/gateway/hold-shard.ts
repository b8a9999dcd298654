import type { Cluster } from "../../../core/cluster.ts";
import { holdUntil } from "../../../core/hold-roles.ts";
import { type Clock, sleepUnlessAborted } from "../../../core/protocol/runtime.ts";
import { SHARD_ROLE, type SharedShard } from "./shared-shard.ts";

/** Time within which a free shard is obtained. In milliseconds. */
const SHARD_WITHIN_MS = 1_000;

/** Pause of a process that could not connect, so that another one can try. In milliseconds. */
const RETRY_MS = 30_000;

interface HoldCallbacks {
  readonly taken: () => void;
  readonly over: () => void;
  readonly refused: (error: unknown) => void;
}

interface HoldShardScope {
  readonly shard: SharedShard;
  readonly cluster: Pick<Cluster, "hold">;
  readonly clock: Clock;
  readonly connected: () => void;
}

/** Connects whenever this process holds the shard. `begun` resolves once that is decided and, if it does, connected. */
export function holdShard(sharing: HoldShardScope): {
  readonly begun: Promise<void>;
  readonly leave: () => Promise<void>;
} {
  const { promise: begun, resolve, reject } = Promise.withResolvers<void>();
  const leaving = new AbortController();
  let isHeld = false;
  const taken = () => {
    isHeld = true;
  };
  const connected = () => {
    resolve();
    sharing.connected();
  };
  const turns = holdRepeatedly({ ...sharing, connected }, { taken, over: resolve, refused: reject }, leaving.signal);
  const cancel = sharing.clock.after(SHARD_WITHIN_MS, () => {
    if (!isHeld) resolve();
  });
  const leave = async () => {
    cancel();
    leaving.abort();
    await turns;
  };
  return { begun, leave };
}

async function holdRepeatedly(
  { shard, cluster, clock, connected }: HoldShardScope,
  { taken, over, refused }: HoldCallbacks,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const ended = new AbortController();
    const work = async (held: AbortSignal) => {
      taken();
      try {
        await shard.receive(connected, held);
      } catch (error) {
        refused(error);
        throw error;
      }
      if (!held.aborted) ended.abort();
    };
    await holdUntil(cluster, { role: SHARD_ROLE, work }, AbortSignal.any([signal, ended.signal]));
    over();
    await sleepUnlessAborted(clock, RETRY_MS, signal);
  }
}
