import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { acquireLease } from "../../src/core/store/database/lease.ts";
import { openStore } from "../../src/core/store/store.ts";
import { unmigratedSqlite } from "../../src/moving/unmigrated-sqlite.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { type Postgres, query, startPostgres } from "../support/database/postgres.ts";
import { asBegunAnew } from "../support/program/bot.ts";
import { ENTRY } from "../support/program/built.ts";
import { runCli } from "../support/program/cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
}

/** Text of many kinds, including an escaped NUL, which is not a NUL character. */
const WORDS = `"a" 'b' \\u0000 \\ud800 🛶 Zoë\n\t\u{10ffff}`;

/** A column's value in this row. Rows with the same number refer to each other across tables. */
function valueOf({ name, type, notnull }: Column, row: number): unknown {
  if (notnull === 0 && row % 2 === 0) return null;
  switch (type) {
    case "INTEGER":
      return row;
    case "REAL":
      return row === 1 ? 0.1 + 0.2 : 5e-324;
    case "BOOLEAN":
      return row % 2;
    case "DATETIME":
      return new Date(1_790_000_000_123 + row).toISOString().replace("Z", "+00:00");
    case "BLOB":
      return Buffer.from([0, 255, 92, row % 256]);
    default:
      return name === "terms" ? `term${row}` : `${row} ${WORDS}`;
  }
}

function tablesOf(connection: BetterSqlite3.Database): readonly string[] {
  const named = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
    AND name NOT IN ('_prisma_migrations', 'sqlite_schema', 'sqlite_sequence') ORDER BY name`;
  return connection.prepare<[], string>(named).pluck().all();
}

function fill(connection: BetterSqlite3.Database, table: string, rows: readonly number[]): void {
  const columns = connection.prepare<[], Column>(`SELECT * FROM pragma_table_info('${table}')`).all();
  const places = columns.map(() => "?").join(", ");
  const insert = connection.prepare(`INSERT INTO "${table}" VALUES (${places})`);
  for (const row of rows) insert.run(...columns.map((column) => valueOf(column, row)));
}

/**
 * Makes a home whose SQLite file has rows in every table, and in one table more than the copy holds in memory at once.
 */
async function filledHome() {
  const cwd = tempDirectory();
  const file = path.join(cwd, "data/deckhand.db");
  mkdirSync(path.dirname(file));
  await (await openStore(`file:${file}`, systemRuntime())).close();
  const connection = new BetterSqlite3(file);
  onTestFinished(() => {
    connection.close();
  });
  connection.pragma("foreign_keys = OFF");
  const tables = tablesOf(connection);
  connection.transaction(() => {
    for (const table of tables) fill(connection, table, [1, 2, 3]);
    fill(
      connection,
      "JournalEntry",
      Array.from({ length: 4_500 }, (_, index) => index + 10),
    );
    // A large value, and a sequence number whose row has been deleted.
    connection.prepare(`UPDATE "WebFile" SET "data" = zeroblob(3000000)`).run();
    fill(connection, "InboxEvent", [900]);
    connection.prepare(`DELETE FROM "InboxEvent" WHERE "seq" = 900`).run();
  })();
  expect(connection.pragma("foreign_key_check")).toEqual([]);
  return { cwd, file, connection, tables };
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const copyTo = (url: string, cwd: string, more: readonly string[] = []) =>
  runCli(["data", "copy", ...more], { cwd, env: { DATABASE_URL: url } });

/** Converts binary values to text, because comparing megabytes byte by byte takes seconds. */
function printed(rows: readonly Record<string, unknown>[]): unknown {
  const text = (value: unknown) => (Buffer.isBuffer(value) ? value.toString("hex") : value);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)])));
}

/** Number of rows in each table. */
async function counts(client: Client, tables: readonly string[]): Promise<readonly number[]> {
  const counted = tables.map((table) => `SELECT count(*)::int AS count FROM "${table}"`);
  return (await client.query<{ count: number }>(counted.join(" UNION ALL "))).rows.map(({ count }) => count);
}

test("every row of every table is copied to PostgreSQL unchanged, and sequences continue after the last value", async () => {
  const { cwd, file, connection, tables } = await filledHome();
  connection.prepare(`UPDATE "AuditEntry" SET "about" = 'a' || char(0) || 'b' WHERE rowid = 1`).run();
  const url = await postgres.createDatabase();
  const env = { DATABASE_URL: url, PORT: "0" };
  const warning = `DATABASE_URL: this PostgreSQL database has no sessions, but ${file} has 3 sessions. To copy everything from it, stop Deckhand and run \`deckhand data copy\`; otherwise, move the file away.`;
  expect((await runCli(["doctor"], { cwd, env })).out.split("\n")).toContain(`⚠ ${warning}`);
  // Rows that a start writes before any use do not prevent the copy.
  await query(url, `INSERT INTO "PlatformPresence" VALUES ('web', now())`);

  const { out, error } = await copyTo(url, cwd);
  expect(error).toBe("");
  expect(out).toContain("✓ JournalEntry · 4,503\n");
  expect(out).toContain("⚠ Texts with the NUL character, which PostgreSQL does not accept: 1. It");
  const database = { kind: "postgresql", url, directUrl: url } as const;
  expect(await unmigratedSqlite({ home: path.dirname(file), database })).toEqual([]);

  const client = await connected(url);
  const audited = await client.query(
    `DELETE FROM "AuditEntry" WHERE "act" = 'database.copied' RETURNING "by", "about", "details"`,
  );
  expect(audited.rows).toEqual([{ by: "command line", about: file, details: expect.stringMatching(/^\d{4,} rows$/u) }]);
  for (const table of tables) {
    const before = connection.prepare<[], Record<string, unknown>>(`SELECT * FROM "${table}" ORDER BY 1, 2`).all();
    const types = new Map(
      connection
        .prepare<[], Column>(`SELECT * FROM pragma_table_info('${table}')`)
        .all()
        .map((column) => [column.name, column.type]),
    );
    const columns = [...types].map(([name, type]) =>
      type === "DATETIME" ? `to_char("${name}", 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"') AS "${name}"` : `"${name}"`,
    );
    const after = await client.query<Record<string, unknown>>(
      `SELECT ${columns.join(", ")} FROM "${table}" ORDER BY 1, 2`,
    );
    const expected = before.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => {
          if (types.get(name) === "BOOLEAN") return [name, value === null ? null : value === 1];
          return [name, typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value];
        }),
      ),
    );
    expect({ table, rows: printed(after.rows) }).toEqual({ table, rows: printed(expected) });
  }
  const next = await client.query(
    `SELECT nextval(pg_get_serial_sequence('"InboxEvent"', 'seq'))::int AS event, nextval(pg_get_serial_sequence('"Memory"', 'seq'))::int AS memory`,
  );
  expect(next.rows).toEqual([{ event: 901, memory: 4 }]);

  expect((await copyTo(url, cwd)).error).toMatch(
    /^✗ DATABASE_URL: this PostgreSQL database already contains data \(Account, /u,
  );
});

/** Key of the advisory lock that halts the copy half-way. */
const GATE = 77;

test("a copy that is killed midway leaves nothing, and the next one is complete", async () => {
  const { cwd, tables } = await filledHome();
  const url = await postgres.createDatabase();
  const client = await connected(url);
  await client.query(
    `CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(${GATE}); RETURN NEW; END';
     CREATE TRIGGER gate BEFORE INSERT ON "WebMessage" FOR EACH ROW EXECUTE FUNCTION gate();
     SELECT pg_advisory_lock(${GATE})`,
  );
  const { args, env } = asBegunAnew([ENTRY, "data", "copy"], {
    PATH: process.env["PATH"] ?? "",
    HOME: cwd,
    DATABASE_URL: url,
  });
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${GATE} AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await expect.poll(async () => (await client.query(waiting)).rowCount, { timeout: 60_000 }).toBe(1);
  expect((await copyTo(url, cwd)).error).toMatch(/^✗ Deckhand is running on .*deckhand\.db\. Stop all its processes/u);
  child.kill("SIGKILL");
  await once(child, "exit");
  await client.query(`SELECT pg_advisory_unlock(${GATE})`);

  const { error, out } = await copyTo(url, cwd);
  expect(error).toBe("");
  expect(out).toContain(`rows of ${tables.length} tables, and verified`);
  // The copy adds an entry of its own to the audit log.
  const rows = (table: string) => ({ JournalEntry: 4_503, AuditEntry: 4 })[table] ?? 3;
  expect(await counts(client, tables)).toEqual(tables.map(rows));
});

test("a row that PostgreSQL refuses is reported, and nothing is copied", async () => {
  const { cwd, connection, tables } = await filledHome();
  connection.prepare(`UPDATE "WebThread" SET "createdAt" = '+275760-09-13T00:00:00.000Z' WHERE rowid = 3`).run();
  const url = await postgres.createDatabase();
  const { error, failed } = await copyTo(url, cwd);
  expect(error).toMatch(/^✗ WebThread: PostgreSQL refuses a row \(.*\)\. Nothing was copied\.$/u);
  expect(failed).toBe(true);
  expect(new Set(await counts(await connected(url), tables))).toEqual(new Set([0]));
});

test("obstacles to a copy are reported with the remedy", async () => {
  const { cwd, connection } = await filledHome();
  const [url, { clock }, { signal }] = [await postgres.createDatabase(), systemRuntime(), new AbortController()];
  const refusal = async (given: string, more: readonly string[] = []) => (await copyTo(given, cwd, more)).error;

  expect(await refusal("file:./other.db")).toMatch(
    /^✗ DATABASE_URL: must be the PostgreSQL database to copy to\. Example: /u,
  );
  expect(await refusal(url, ["--from", "/nowhere.db"])).toBe(
    "✗ There is no file /nowhere.db. Pass the path of the SQLite file as --from.",
  );
  const lease = await acquireLease({ url, clock, signal, standby: () => undefined });
  expect(await refusal(url)).toBe(
    "✗ Deckhand is running on the PostgreSQL of DATABASE_URL. Stop all its processes, then copy again.",
  );
  await lease.release();
  const older = path.join(cwd, "older.db");
  const database = new BetterSqlite3(older);
  database.pragma("foreign_keys = OFF");
  database.exec(
    readFileSync(path.resolve(import.meta.dirname, "../support/database/older-database.sqlite.sql"), "utf8"),
  );
  database.close();
  expect(await refusal(url, ["--from", older])).toMatch(
    /older\.db was written by an older version\. Start this version on it once/u,
  );
  connection.exec(`UPDATE "_prisma_migrations" SET "migration_name" = '29990101000000_later' WHERE rowid = 1`);
  expect(await refusal(url)).toMatch(/newer/u);
});
