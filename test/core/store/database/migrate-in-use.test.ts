import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openPostgresql } from "../../../../src/core/store/database/postgresql.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { type Postgres, startPostgres } from "../../../support/database/postgres.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

async function client(url: string): Promise<Client> {
  const made = new Client({ connectionString: url });
  onTestFinished(() => made.end());
  await made.connect();
  return made;
}

test("a migration that waits for a dump does not block other queries", async () => {
  const url = await postgres.createEmptyDatabase();
  const migrations = tempDirectory();
  const migrate = async (name: string, sql: string) => {
    mkdirSync(path.join(migrations, name));
    writeFileSync(path.join(migrations, name, "migration.sql"), sql);
    await (await openPostgresql({ url }, migrations, systemRuntime())).$disconnect();
  };
  await migrate("1", "CREATE TABLE thread (id text)");
  const [dump, other] = [await client(url), await client(url)];
  await dump.query("BEGIN");
  await dump.query("LOCK TABLE thread IN ACCESS SHARE MODE");
  const migrated = migrate("2", "ALTER TABLE thread ADD COLUMN title text");
  const waits = async () =>
    (await dump.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'thread'::regclass")).rowCount;
  await expect.poll(waits).toBe(1);
  expect((await other.query("SELECT FROM thread")).rows).toEqual([]);
  await dump.query("COMMIT");
  await migrated;
  expect((await other.query("SELECT title FROM thread")).rows).toEqual([]);
});
