import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DatabaseHarness } from "../../contracts/store.ts";
import { removeDirectory } from "../remove-directory.ts";
import { copyMigrated } from "./empty-database.ts";
import { startPostgres } from "./postgres.ts";

export async function sqliteHarness(): Promise<DatabaseHarness> {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-files-"));
  let created = 0;
  const create = async () => {
    created += 1;
    const file = path.join(directory, `${created}.db`);
    await copyMigrated(file);
    return `file:${file}`;
  };
  return { create, close: () => removeDirectory(directory) };
}

export async function postgresHarness(): Promise<DatabaseHarness> {
  const postgres = await startPostgres();
  return { create: () => postgres.createDatabase(), close: () => postgres.stop() };
}
