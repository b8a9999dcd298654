import path from "node:path";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { deleteSessions } from "../../../src/features/retention/delete-sessions.ts";
import { describePlatform } from "../../../src/platforms.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";

/** Deletes `ses_1` of a home, and kills itself after a transaction: `node delete-and-die.ts <home> <step>`. */
const [home = "", last = ""] = process.argv.slice(2);
let steps = 0;

const runtime = systemRuntime();
const store = await openStore(`file:${path.join(home, "deckhand.db")}`, runtime);
const mortal: Store = {
  ...store,
  transaction: async (work) => {
    const value = await store.transaction(work);
    steps += 1;
    if (steps === Number(last)) process.kill(process.pid, "SIGKILL");
    return value;
  },
};
const world = {
  store: mortal,
  home,
  runtime,
  log: silentLog,
  database: "sqlite",
  describe: describePlatform,
  snapshots: path.join(home, "snapshots"),
  sandboxRootOf: () => path.join(home, "sandbox/web-C1"),
} as const;
await deleteSessions({ why: "session", roots: ["ses_1"] }, world, AbortSignal.any([]));
