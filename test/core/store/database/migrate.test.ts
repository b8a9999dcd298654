import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { ConfigError } from "../../../../src/core/protocol/errors.ts";
import { openSqlite } from "../../../../src/core/store/database/sqlite.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const MIGRATIONS = path.join(ROOT, "prisma/sqlite/migrations");

interface Applied {
  migration_name: string;
  checksum: string;
  finished_at: string | null;
  applied_steps_count: number;
}

function applied(file: string): Applied[] {
  const connection = new BetterSqlite3(file);
  try {
    return connection.prepare<[], Applied>("SELECT * FROM _prisma_migrations ORDER BY migration_name").all();
  } finally {
    connection.close();
  }
}

async function open(file: string, migrations = MIGRATIONS): Promise<void> {
  const client = await openSqlite(`file:${file}`, migrations, systemRuntime());
  await client.$disconnect();
}

test("all migrations are applied to a new database, and none at the second start", async () => {
  const file = path.join(tempDirectory(), "sub/deckhand.db");
  await open(file);
  const names = readdirSync(MIGRATIONS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  expect(applied(file).map((row) => row.migration_name)).toEqual(names);
  expect(applied(file).every((row) => row.finished_at !== null && row.applied_steps_count === 1)).toBe(true);
  const before = applied(file);
  await open(file);
  expect(applied(file)).toEqual(before);
});

test("a database of a newer version is refused and unchanged", async () => {
  const directory = tempDirectory();
  const file = path.join(directory, "deckhand.db");
  const newer = withOneMore(directory, "future", 'CREATE TABLE "Future" ("id" TEXT);');
  await open(file, newer);
  const before = applied(file);
  await expect(open(file)).rejects.toMatchObject({
    problems: [expect.stringMatching(/^DATABASE_URL: .* newer version of Deckhand \(.*_future\)\. Start that version/)],
  });
  expect(applied(file)).toEqual(before);
});

test("a migration that was changed after it was applied is refused", async () => {
  const directory = tempDirectory();
  const file = path.join(directory, "deckhand.db");
  const changed = path.join(directory, "changed");
  await open(file);
  cpSync(MIGRATIONS, changed, { recursive: true });
  const [name] = readdirSync(changed).filter((entry) => entry.endsWith("_init"));
  writeFileSync(path.join(changed, name ?? "", "migration.sql"), "-- nothing");
  await expect(open(file, changed)).rejects.toThrow(/differs/);
});

/** Copies the migrations and adds one after them. */
function withOneMore(directory: string, name: string, sql: string): string {
  const copy = path.join(directory, name);
  cpSync(MIGRATIONS, copy, { recursive: true });
  const migration = path.join(copy, `99990101000000_${name}`);
  mkdirSync(migration);
  writeFileSync(path.join(migration, "migration.sql"), sql);
  return copy;
}

function tables(file: string): unknown[] {
  const connection = new BetterSqlite3(file);
  try {
    return connection.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").all();
  } finally {
    connection.close();
  }
}

test("a failed migration is named, and the previous version can still use the database", async () => {
  const directory = tempDirectory();
  const file = path.join(directory, "deckhand.db");
  await open(file);
  const before = [tables(file), applied(file)];
  const broken = withOneMore(directory, "broken", 'CREATE TABLE "Half" ("id" TEXT); CREATE NONSENSE;');
  for (let start = 0; start < 2; start += 1) {
    await expect(open(file, broken)).rejects.toThrow(/99990101000000_broken failed/);
    expect([tables(file), applied(file)]).toEqual(before);
  }
  await open(file);
});

test("a disk too full for migrations is reported, and the database is unchanged", async () => {
  const directory = tempDirectory();
  const file = path.join(directory, "deckhand.db");
  await open(file);
  const before = [tables(file), applied(file)];
  const large = withOneMore(
    directory,
    "large",
    'PRAGMA max_page_count = 1; CREATE TABLE "Large" AS SELECT zeroblob(9999999);',
  );
  const failure = open(file, large);
  await expect(failure).rejects.toBeInstanceOf(ConfigError);
  await expect(failure).rejects.toThrow(
    /\(SQLITE_FULL\)\. Its disk is full; the database was not changed\. Free up space/,
  );
  expect([tables(file), applied(file)]).toEqual(before);
});

test("a database that another process keeps writing to is reported", async () => {
  const file = path.join(tempDirectory(), "deckhand.db");
  const other = new BetterSqlite3(file);
  onTestFinished(() => void other.close());
  other.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
  await expect(open(file)).rejects.toThrow(/\(SQLITE_BUSY\)\. Another process is writing to it\./);
});

test("a start killed during its migrations leaves the database unchanged", async () => {
  const directory = tempDirectory();
  const file = path.join(directory, "deckhand.db");
  const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;";
  const hanging = withOneMore(directory, "hanging", `CREATE TABLE "Half" ("id" TEXT); ${endless}`);
  const script = `
    import { openSqlite } from "./src/core/store/database/sqlite.ts";
    import { systemRuntime } from "./src/runtime.ts";
    process.stdout.write("begun");
    await openSqlite(${JSON.stringify(`file:${file}`)}, ${JSON.stringify(hanging)}, systemRuntime());
  `;
  const start = spawn(process.execPath, ["--input-type=module", "--eval", script], { cwd: ROOT });
  onTestFinished(() => {
    start.kill("SIGKILL");
  });
  await once(start.stdout, "data");
  // Locking the file before the start has switched to WAL could prevent the switch.
  await expect.poll(() => existsSync(`${file}-shm`) && isLocked(file)).toBe(true);
  start.kill("SIGKILL");
  await once(start, "close");
  expect(tables(file)).toEqual([]);
  await open(file);
  expect(applied(file).length).toBeGreaterThan(0);
});

/** Whether another process holds the write lock. */
function isLocked(file: string): boolean {
  const connection = new BetterSqlite3(file, { timeout: 0 });
  try {
    connection.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch (error) {
    if (error instanceof BetterSqlite3.SqliteError && error.code === "SQLITE_BUSY") return true;
    throw error;
  } finally {
    connection.close();
  }
}

test("field names in sub-agents' tasks of an older version are migrated, people's text is unchanged", async () => {
  const directory = tempDirectory();
  const file = path.join(directory, "deckhand.db");
  const older = path.join(directory, "older");
  cpSync(MIGRATIONS, older, { recursive: true });
  const later = readdirSync(older).filter((name) => /^\d{14}_/.test(name) && name >= "20261123041500");
  for (const name of later) rmSync(path.join(older, name), { recursive: true });
  await open(file, older);
  const said = 'says "among": 3 and "wakes": 1';
  const task = {
    agent: "worker",
    description: said,
    background: true,
    among: 4,
    depth: 1,
    wakes: 2,
    undertaking: "run_1",
  };
  const root = { sessionId: "ses_1", runId: "run_2" };
  const body = { kind: "child", task: { ...task, root } };
  const connection = new BetterSqlite3(file);
  onTestFinished(() => void connection.close());
  connection.pragma("foreign_keys = OFF");
  connection
    .prepare(
      `INSERT INTO "InboxEvent" ("key", "sessionId", "body", "wakes", "state", "dueAt", "createdAt") VALUES ('k', 's', ?, 1, 'waiting', 0, 0)`,
    )
    .run(JSON.stringify(body));
  await open(file);
  const row = connection.prepare<[], { body: string }>(`SELECT "body" FROM "InboxEvent"`).get();
  const { among: concurrencyLimit, wakes: autoWakeCount, undertaking: taskTree, ...same } = task;
  expect(JSON.parse(row?.body ?? "null")).toEqual({
    kind: "child",
    task: { ...same, concurrencyLimit, autoWakeCount, taskTree, root },
  });
});
