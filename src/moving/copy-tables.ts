import { z } from "zod";
import { isDatabaseUnavailable, toConnectionLost } from "../core/protocol/database-failure.ts";
import { ConfigError, DefectError } from "../core/protocol/errors.ts";
import type { Client } from "../core/store/database/client.ts";
import type { OpenConnection } from "../core/store/database/connection/open-connection.ts";

/** Maximum rows and approximate bytes in memory at once; a single row may be larger. */
const BATCH = { rows: 2_000, bytes: 4_000_000 };

/** A table of a migrated SQLite database. */
interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Tables referenced by foreign keys. */
  readonly parents: readonly string[];
}

type Target = Pick<OpenConnection["connection"], "query">;

export interface TableCopying {
  /** A SQLite transaction, unaffected by concurrent writes. */
  readonly from: Client;
  /** In a transaction. Prisma's client is unsuitable: it remembers its last hundred statements with all values. */
  readonly to: Target;
  /** Called after each batch. */
  readonly progress: (at: { readonly table: string; readonly done: number; readonly total: number }) => void;
}

export interface Copied {
  readonly rows: number;
  readonly tables: number;
  /** Number of texts with NUL, which PostgreSQL does not accept; it is replaced by U+FFFD. */
  readonly texts: number;
}

/**
 * Copies all rows into a database with the same migrations and no data. Throws ConfigError if there are data, or
 * PostgreSQL refuses a row; the caller then ends the transaction without a commit.
 */
export async function copyTables({ from, to, progress }: TableCopying): Promise<Copied> {
  const tables = inOrder(await tablesOf(from));
  // Waits for other users of the database, such as an interrupted copy being rolled back, and makes others wait.
  await to.query(`LOCK TABLE ${tables.map(({ name }) => quoted(name)).join(", ")} IN EXCLUSIVE MODE`);
  await makeRoom(to, tables);
  const copied = { rows: 0, tables: 0, texts: 0 };
  for (const table of tables) {
    const total = await countOf(from, table);
    if (total === 0) continue;
    let done = 0;
    for await (const rows of batchesOf(from, table)) {
      const { json, texts } = written(rows);
      await insert(to, table, json);
      done += rows.length;
      copied.texts += texts;
      progress({ table: table.name, done, total });
    }
    const there = await countOf(to, table);
    if (there !== total) throw new DefectError(`${table.name} has ${total} rows, and ${there} were copied`);
    copied.rows += total;
    copied.tables += 1;
  }
  await countOn(from, to);
  for (const { name } of tables) await to.query(`ANALYZE ${quoted(name)}`);
  return copied;
}

const names = z.preprocess((json) => (typeof json === "string" ? JSON.parse(json) : json), z.array(z.string()));
const tablesSchema = z.array(z.object({ name: z.string(), columns: names, parents: names }));

/** The tables to copy. Tables of the full-text index are excluded, because they follow the tables that they index. */
const TABLES = `SELECT "name",
    (SELECT json_group_array("name") FROM pragma_table_info("list"."name")) AS "columns",
    (SELECT json_group_array("table") FROM pragma_foreign_key_list("list"."name")) AS "parents"
  FROM pragma_table_list AS "list"
  WHERE "schema" = 'main' AND "type" = 'table' AND "name" NOT GLOB 'sqlite_*' AND "name" <> '_prisma_migrations'
  ORDER BY "name"`;

async function tablesOf(from: Client): Promise<readonly Table[]> {
  return tablesSchema.parse(await from.$queryRawUnsafe(TABLES));
}

/** Orders tables so that each comes after those that it refers to. */
function inOrder(tables: readonly Table[]): readonly Table[] {
  const ordered = new Set<Table>();
  const add = (table: Table): void => {
    for (const parent of tables)
      if (parent !== table && !ordered.has(parent) && table.parents.includes(parent.name)) add(parent);
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}

/** Tables that a start fills by itself before anybody has written. Their rows are deleted; nothing else ever is. */
const OF_A_START: readonly string[] = ["KnownWorkspace", "PlatformPresence"];

async function makeRoom(to: Target, tables: readonly Table[]): Promise<void> {
  const filled: string[] = [];
  for (const table of tables) if ((await countOf(to, table)) > 0) filled.push(table.name);
  const kept = filled.filter((name) => !OF_A_START.includes(name));
  if (kept.length > 0) {
    throw new ConfigError([
      `DATABASE_URL: this PostgreSQL database already contains data (${kept.join(", ")}). Nothing was copied. Use an empty database; to empty this one, run DROP DATABASE …; CREATE DATABASE … OWNER …;`,
    ]);
  }
  for (const name of filled) await to.query(`DELETE FROM ${quoted(name)}`);
}

const countSchema = z.tuple([z.object({ count: z.coerce.number() })]);

async function countOf(db: Client | Target, { name }: Table): Promise<number> {
  const sql = `SELECT count(*) AS "count" FROM ${quoted(name)}`;
  const rows: unknown = "query" in db ? (await db.query(sql)).rows : await db.$queryRawUnsafe(sql);
  return countSchema.parse(rows)[0].count;
}

const lastSchema = z.tuple([z.object({ last: z.coerce.number() })]);

async function* batchesOf(from: Client, { name, columns }: Table): AsyncGenerator<readonly object[]> {
  const bytes = columns.map((column) => `coalesce(octet_length(${quoted(column)}), 0)`).join(" + ");
  const end = `SELECT coalesce(max("at"), 0) AS "last" FROM (
      SELECT "at", sum("bytes") OVER (ORDER BY "at" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "before" FROM (
        SELECT rowid AS "at", ${bytes} AS "bytes" FROM ${quoted(name)} WHERE rowid > ? ORDER BY rowid LIMIT ${BATCH.rows}
      )
    ) WHERE coalesce("before", 0) < ${BATCH.bytes}`;
  const rows = `SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(name)} WHERE rowid > ? AND rowid <= ? ORDER BY rowid`;
  for (let after = 0; ; ) {
    const [{ last }] = lastSchema.parse(await from.$queryRawUnsafe(end, after));
    if (last === 0) return;
    yield await from.$queryRawUnsafe<object[]>(rows, after, last);
    after = last;
  }
}

/** Rows as PostgreSQL reads them: times as ISO 8601 in UTC, bytes in hexadecimal, valid Unicode without NUL. */
function written(rows: readonly object[]): { readonly json: string; readonly texts: number } {
  let texts = 0;
  const value = (_key: string, given: unknown): unknown => {
    if (given instanceof Uint8Array) return `\\x${Buffer.from(given).toString("hex")}`;
    if (typeof given === "bigint") return String(given);
    if (typeof given !== "string") return given;
    if (given.includes("\0")) texts += 1;
    return given.replaceAll("\0", "\uFFFD").toWellFormed();
  };
  return { json: JSON.stringify(rows, value), texts };
}

async function insert(to: Target, { name, columns }: Table, json: string): Promise<void> {
  const all = columns.map(quoted).join(", ");
  const sql = `INSERT INTO ${quoted(name)} (${all}) SELECT ${all} FROM json_populate_recordset(NULL::${quoted(name)}, $1::json)`;
  try {
    await to.query(sql, [json]);
  } catch (thrown) {
    const error = toConnectionLost(thrown);
    if (isDatabaseUnavailable(error) || !(error instanceof Error)) throw error;
    throw new ConfigError([`${name}: PostgreSQL refuses a row (${error.message}). Nothing was copied.`]);
  }
}

const positionsSchema = z.array(z.object({ name: z.string(), seq: z.coerce.number() }));

/** Continues sequences after the last number ever given, even if its row is gone. */
async function countOn(from: Client, to: Target): Promise<void> {
  const found = await from.$queryRawUnsafe(`SELECT "name", "seq" FROM "sqlite_sequence" WHERE "seq" > 0`);
  for (const { name, seq } of positionsSchema.parse(found)) {
    await to.query(
      `SELECT setval(pg_get_serial_sequence(format('%I', table_name), column_name), $2::bigint)
       FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = $1 AND column_default LIKE 'nextval(%'`,
      [name, seq],
    );
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
