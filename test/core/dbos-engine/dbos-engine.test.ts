import { DbosEngine } from "../../../src/core/dbos-engine/dbos-engine.ts";
import type { SessionHandler } from "../../../src/core/engine/engine.ts";
import { openCluster } from "../../../src/core/store/cluster/cluster.ts";
import { openStore } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { engineContract } from "../../contracts/engine.ts";
import { replicaOptions } from "../../support/database/cluster.ts";
import { copyOfDbos } from "../../support/database/dbos-copy.ts";
import { mortalStore } from "../../support/database/mortal-store.ts";
import { startPostgres } from "../../support/database/postgres.ts";
import { silentLog } from "../../support/silent-log.ts";

engineContract("PostgreSQL with DBOS Transact", async () => {
  const postgres = await startPostgres();
  const url = await postgres.createDatabase();
  const store = await openStore(url, systemRuntime());
  return {
    store,
    async start(handler, options = {}) {
      const life = { isAlive: true };
      const runtime = systemRuntime();
      const cluster = await openCluster(replicaOptions(url, runtime));
      const engine = new DbosEngine({
        url,
        cluster,
        store: mortalStore(store, life),
        runtime,
        log: silentLog,
        maxConcurrentRuns: options.maxConcurrentRuns ?? 32,
        target: () => options.target ?? NO_PLATFORM,
        mayHold: () => Promise.resolve(true),
        loadSdk: copyOfDbos,
      });
      await engine.start({ run: NO_RUN, queued: () => Promise.resolve(), ...handler });
      // To the other processes it is gone, and it accepts no new work.
      const vanish = () => void engine.stop(0).then(() => cluster.close());
      return {
        engine,
        kill: () => {
          life.isAlive = false;
          vanish();
        },
        freeze: vanish,
      };
    },
    close: async () => {
      await store.close();
      await postgres.stop();
    },
  };
});

const NO_RUN: SessionHandler["run"] = () => Promise.resolve("ended");
const NO_PLATFORM = { find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) };
