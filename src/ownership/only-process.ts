import type { Cluster, ClusterLock } from "../core/cluster.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Clock } from "../core/protocol/runtime.ts";
import { workUntil } from "../core/work-until.ts";

/** The cluster of a process that has the database to itself: it holds every role and notifies nobody. */
export function onlyProcess(world: { readonly clock: Clock; readonly log: Log }): Cluster {
  return {
    id: "only",
    isShared: false,
    size: () => 1,
    gatewaySessions: { of: () => Promise.resolve(null), keep: () => Promise.resolve() },
    others: () => Promise.resolve([]),
    report: () => undefined,
    members: () => Promise.resolve([]),
    drain: () => Promise.resolve("gone"),
    publish: () => Promise.resolve(),
    subscribe: () => () => undefined,
    lock: () => Promise.resolve(ITS_OWN),
    hold(role, work) {
      const controller = new AbortController();
      const done = workUntil(controller.signal, work, { ...world, name: String(role) });
      return async () => {
        controller.abort();
        await done;
      };
    },
  };
}

const ITS_OWN: ClusterLock = {
  validForMs: () => Number.POSITIVE_INFINITY,
  requireHeld: () => Promise.resolve(),
  [Symbol.dispose]: () => undefined,
};
