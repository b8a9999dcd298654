import { constants } from "node:fs";
import { copyFile, mkdir, mkdtemp, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Client } from "pg";
import type { Runtime } from "../../../src/core/protocol/runtime.ts";
import { systemCode } from "../../../src/core/protocol/system-code.ts";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { DATABASES } from "./databases-place.ts";

/** Opens a database file; a new one is a copy of a migrated one, which takes a twentieth of the time of migrating. */
export async function openFileStore(file: string, runtime: Runtime = systemRuntime()): Promise<Store> {
  await mkdir(path.dirname(file), { recursive: true });
  await copyMigrated(file);
  return openStore(`file:${file}`, runtime);
}

/** Copies a migrated database without rows to the file, unless that exists. */
export async function copyMigrated(file: string): Promise<void> {
  const shared = process.env[DATABASES];
  const migrated = shared === undefined ? await makeMigrated(tmpdir()) : path.join(shared, "migrated.db");
  try {
    await copyFile(migrated, file, constants.COPYFILE_EXCL);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return;
    if (systemCode(error) !== "ENOENT" || shared === undefined) throw error;
    // Other processes of the run may make it, too; each finds a complete one.
    await rename(await makeMigrated(shared), migrated);
    await copyMigrated(file);
  }
}

async function makeMigrated(parent: string): Promise<string> {
  const file = path.join(await mkdtemp(path.join(parent, "deckhand-test-")), "migrated.db");
  await (await openStore(`file:${file}`, systemRuntime())).close();
  return file;
}

/** Resets a migrated SQLite database to its state before the first row, including sequences. */
export function emptyDatabase(file: string): void {
  const connection = new BetterSqlite3(file);
  try {
    connection.pragma("foreign_keys = OFF");
    const tables = connection
      .prepare<[], { name: string }>(
        // The tables of the full-text index follow those that they index.
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT IN ('_prisma_migrations', 'sqlite_schema')",
      )
      .all();
    connection.transaction(() => {
      for (const { name } of tables) connection.exec(`DELETE FROM "${name}"`);
    })();
  } finally {
    connection.close();
  }
}

/** Does the same for PostgreSQL, including the data of the engine of several processes. No process may be using it. */
export async function emptyPostgres(client: Pick<Client, "query">): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname IN ('public', 'deckhand_cluster') AND tablename <> '_prisma_migrations'
       OR schemaname = 'dbos' AND tablename = 'workflow_status'`,
  );
  // Without triggers, the order of deletions does not matter.
  const deletions = rows.map(({ name }) => `DELETE FROM ${name}`);
  await client.query(["BEGIN", "SET LOCAL session_replication_role = replica", ...deletions, "COMMIT"].join(";\n"));
}
