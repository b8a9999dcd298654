import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { EmbeddedEngine } from "../../../src/core/embedded-engine/embedded-engine.ts";
import type { SessionHandler } from "../../../src/core/engine/engine.ts";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { type EngineHarness, engineContract } from "../../contracts/engine.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { mortalStore } from "../../support/database/mortal-store.ts";
import { startPostgres } from "../../support/database/postgres.ts";
import { removeDirectory } from "../../support/remove-directory.ts";
import { silentLog } from "../../support/silent-log.ts";

engineContract("SQLite", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-engine-"));
  const store = await openFileStore(path.join(directory, "engine.db"));
  return harness(store, () => removeDirectory(directory));
});

engineContract("PostgreSQL", async () => {
  const postgres = await startPostgres();
  const store = await openStore(await postgres.createDatabase(), systemRuntime());
  return harness(store, () => postgres.stop());
});

function harness(store: Store, cleanUp: () => Promise<void>): EngineHarness {
  return {
    store,
    async start(handler, options = {}) {
      const life = { isAlive: true };
      const engine = new EmbeddedEngine({
        store: mortalStore(store, life),
        runtime: systemRuntime(),
        log: silentLog,
        maxConcurrentRuns: options.maxConcurrentRuns ?? 32,
        target: () => options.target ?? NO_PLATFORM,
      });
      await engine.start({ run: NO_RUN, queued: () => Promise.resolve(), ...handler });
      return {
        engine,
        kill: () => {
          life.isAlive = false;
        },
      };
    },
    close: async () => {
      await store.close();
      await cleanUp();
    },
  };
}

const NO_RUN: SessionHandler["run"] = () => Promise.resolve("ended");
const NO_PLATFORM = { find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) };
