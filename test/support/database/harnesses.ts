import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openStore } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import type { DatabaseHarness } from "../../contracts/store.ts";
import { removeDirectory } from "../remove-directory.ts";
import { startPostgres } from "./postgres.ts";

/** Databases copied from one migrated file, which takes a hundredth of the time of migrating each. */
export async function sqliteHarness(): Promise<DatabaseHarness> {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-files-"));
  const migrated = path.join(directory, "migrated.db");
  await (await openStore(`file:${migrated}`, systemRuntime())).close();
  let created = 0;
  const create = () => {
    created += 1;
    const file = path.join(directory, `${created}.db`);
    copyFileSync(migrated, file);
    return Promise.resolve(`file:${file}`);
  };
  return { create, close: () => removeDirectory(directory) };
}

export async function postgresHarness(): Promise<DatabaseHarness> {
  const postgres = await startPostgres();
  return { create: () => postgres.createDatabase(), close: () => postgres.stop() };
}
