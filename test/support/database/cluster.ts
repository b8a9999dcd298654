import { onTestFinished } from "vitest";
import { DbosEngine, type DbosSessions } from "../../../src/core/dbos-engine/dbos-engine.ts";
import type { SessionHandler } from "../../../src/core/engine/engine.ts";
import type { Runtime } from "../../../src/core/protocol/runtime.ts";
import { openCluster, type ReplicaStart } from "../../../src/core/store/cluster/cluster.ts";
import { openStore } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../silent-log.ts";
import { copyOfDbos } from "./dbos-copy.ts";

/** Creates the empty engine table that a heartbeat reads. */
export const NO_CLAIMS =
  "CREATE SCHEMA dbos; CREATE TABLE dbos.workflow_status (executor_id text, status text, queue_name text)";

/** Options of a replica that sends no messages about itself. */
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

const NO_PLATFORM = { find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) };

/** Starts a replica in the test's process until the test ends. */
export async function startReplica(
  url: string,
  run: SessionHandler["run"] = () => Promise.resolve("ended"),
  { clock, ...settings }: Partial<Pick<DbosSessions, "isServed"> & Pick<Runtime, "clock">> = {},
) {
  const system = systemRuntime();
  const runtime = { ...system, ...(clock && { clock }) };
  const life = { isLost: false };
  const lost = () => {
    life.isLost = true;
  };
  // Other replicas rely on this timing, so no test may speed it up.
  const cluster = await openCluster({ ...replicaOptions(url, system), lost });
  const store = await openStore(url, runtime);
  const parts = { url, cluster, store, runtime, log: silentLog, maxConcurrentRuns: 4, loadSdk: copyOfDbos };
  const engine = new DbosEngine({
    ...parts,
    target: () => NO_PLATFORM,
    mayHold: () => Promise.resolve(true),
    ...settings,
  });
  onTestFinished(async () => {
    await engine.stop(0);
    await cluster.close();
    await store.close();
  });
  await engine.start({ run, queued: () => Promise.resolve() });
  return { cluster, store, engine, life };
}
