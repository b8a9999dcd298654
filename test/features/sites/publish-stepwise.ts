import path from "node:path";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { createCopies } from "../../../src/features/sites/copies.ts";
import { createSites } from "../../../src/features/sites/sites.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";

/** Publishes `root/heron` beneath a home; at each moment in which a process may die, `step` is called. */
export async function publishStepwise(home: string, step: () => void): Promise<void> {
  const runtime = systemRuntime();
  const store = await openStore(`file:${path.join(home, "deckhand.db")}`, runtime);
  /** Before each transaction, within it when its work is done, and after it. */
  const mortal: Store = {
    ...store,
    transaction: async (work) => {
      step();
      const value = await store.transaction(async (tx) => {
        const result = await work(tx);
        step();
        return result;
      });
      step();
      return value;
    },
  };
  const copies = createCopies(path.join(home, "sites"));
  /** After each file, before and after the copy has its name, and before and after old ones go. */
  const slow: typeof copies = {
    ...copies,
    async begin(folder) {
      const copying = await copies.begin(folder);
      step();
      return {
        ...copying,
        async take(file, content) {
          await copying.take(file, content);
          step();
        },
        async finish() {
          step();
          await copying.finish();
          step();
        },
      };
    },
    async remove(folders) {
      step();
      await copies.remove(folders);
      step();
    },
  };
  const limits = { files: 100, bytes: 1_000_000 };
  const cluster = onlyProcess({ clock: runtime.clock, log: silentLog });
  const { signal } = new AbortController();
  const sites = createSites(
    { store: mortal, runtime, cluster },
    { limits, keptVersions: 1, copies: slow, address: () => "", signal },
  );
  const source = { root: path.join(home, "root"), directory: "heron" };
  const by = { id: "slack:U0ANA", name: "ana" };
  await sites.publish({ name: "heron", source, channelKey: "slack:C1", by, key: "new" }, AbortSignal.timeout(60_000));
  await store.close();
}
