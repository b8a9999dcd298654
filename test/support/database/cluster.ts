import type { Runtime } from "../../../src/core/protocol/runtime.ts";
import type { ReplicaStart } from "../../../src/core/store/cluster/cluster.ts";
import { silentLog } from "../silent-log.ts";

/** A replica that tells nobody anything of itself. */
export function replicaOptions(url: string, runtime: Runtime): ReplicaStart {
  return {
    url,
    id: runtime.ids.next("replica"),
    clock: runtime.clock,
    log: silentLog,
    facts: {},
    standBy: () => undefined,
    lost: () => undefined,
    drain: () => undefined,
    signal: new AbortController().signal,
  };
}
