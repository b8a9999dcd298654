import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { prewarmStore } from "../../src/core/store/prewarm.ts";
import { openStore } from "../../src/core/store/store.ts";
import { systemRuntime } from "../../src/runtime.ts";

/** Prints the processor milliseconds of the store's work for one message on SQLite, after warming up. */
const WARM = 50;
const MESSAGES = 150;

const home = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
const runtime = systemRuntime();
const store = await openStore(`file:${path.join(home, "deckhand.db")}`, runtime);
for (let message = 0; message < WARM; message++) await prewarmStore(store, runtime);
const before = process.cpuUsage();
for (let message = 0; message < MESSAGES; message++) await prewarmStore(store, runtime);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1_000 / MESSAGES);
await store.close();
rmSync(home, { recursive: true, force: true });
