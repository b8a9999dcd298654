import path from "node:path";
import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import {
  type ArgScalarType,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlQuery,
} from "@prisma/driver-adapter-utils";
import BetterSqlite3 from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { sqliteAdapter } from "../../../../../src/core/store/database/sqlite-adapter/adapter.ts";
import { ManualClock } from "../../../../support/manual-clock.ts";
import { tempDirectory } from "../../../../support/temp-directory.ts";

const TABLES = `
  CREATE TABLE Kind (id TEXT NOT NULL PRIMARY KEY, number INTEGER UNIQUE, share REAL, big BIGINT, isSo BOOLEAN NOT NULL DEFAULT true,
    at DATETIME, data BLOB, exact DECIMAL, json JSONB, odd VARCHAR(3), UNIQUE (share, big));
  CREATE TABLE Part (id INTEGER PRIMARY KEY, kindId TEXT REFERENCES Kind (id), CHECK (id < 100));
  CREATE UNIQUE INDEX "lower" ON Kind (lower(odd));
  CREATE TRIGGER guard BEFORE DELETE ON Kind BEGIN SELECT RAISE(ABORT, 'kept'); END;
`;

function fileWithTables(): string {
  const file = path.join(tempDirectory(), "a.db");
  const connection = new BetterSqlite3(file);
  connection.pragma("journal_mode = WAL");
  connection.exec(TABLES);
  connection.close();
  return file;
}

async function opened(file = fileWithTables(), clock = new ManualClock()): Promise<SqlDriverAdapter> {
  const adapter = await sqliteAdapter(file, clock).connect();
  onTestFinished(() => adapter.dispose());
  return adapter;
}

/** Prisma's own adapter, whose results this one must match. */
async function stock(): Promise<SqlDriverAdapter> {
  const adapter = await new PrismaBetterSqlite3({ url: fileWithTables() }).connect();
  onTestFinished(() => adapter.dispose());
  return adapter;
}

interface Given {
  readonly sql: string;
  readonly values?: readonly (readonly [value: unknown, type: ArgScalarType])[];
}

function queryOf({ sql, values = [] }: Given): SqlQuery {
  return {
    sql,
    args: values.map(([value]) => value),
    argTypes: values.map(([, scalarType]) => ({ scalarType, arity: "scalar" })),
  };
}

/** Runs statements in one transaction, and returns the result or failure of the last one. */
async function outcome(adapter: SqlDriverAdapter, given: readonly Given[], as: "queryRaw" | "executeRaw") {
  const transaction = await adapter.startTransaction("SERIALIZABLE");
  try {
    for (const before of given.slice(0, -1)) await transaction.executeRaw(queryOf(before));
    return await transaction[as](queryOf(given.at(-1) ?? { sql: "SELECT 1" }));
  } catch (error) {
    if (error instanceof DriverAdapterError) return { failed: error.cause };
    return { failed: String(error) };
  } finally {
    await transaction.executeRaw(queryOf({ sql: "ROLLBACK" })).catch(() => 0);
    await transaction.rollback();
  }
}

const ROW = { sql: "INSERT INTO Kind (id, number, share, big) VALUES ('a', 1, 0.5, 9007199254740993)" };
const NOON = "2026-01-02T12:00:00.000Z";

const put = (column: string, value: unknown, type: ArgScalarType): Given => ({
  sql: `INSERT INTO Kind (id, ${column}) VALUES ('a', ?)`,
  values: [[value, type]],
});

const ALIKE: Record<string, readonly Given[]> = {
  "no rows": [{ sql: "SELECT * FROM Kind" }],
  "a row of nothing": [{ sql: "INSERT INTO Kind (id) VALUES ('a')" }, { sql: "SELECT * FROM Kind" }],
  "a large integer": [ROW, { sql: "SELECT big, big - 1, -big, max(big) FROM Kind" }],
  "what is calculated": [ROW, { sql: "SELECT count(*), sum(share), 'text', NULL, id || 'b', 1 = 1 FROM Kind" }],
  "what is calculated of nothing": [{ sql: "SELECT sum(share), max(id) FROM Kind" }],
  "a later value of what is calculated": [{ sql: "SELECT NULL AS it UNION ALL SELECT 'text'" }],
  "a column of no known type": [put("odd", "odd", "string"), { sql: "SELECT odd FROM Kind" }],
  "rows that are given back": [{ sql: "INSERT INTO Part (id) VALUES (1), (2) RETURNING id AS it" }],
  "a number": [put("number", 7, "int"), { sql: "SELECT number, typeof(number) FROM Kind" }],
  "a number as text": [put("number", "7", "int"), { sql: "SELECT number, typeof(number) FROM Kind" }],
  "a fraction among integers": [put("number", 7.9, "float"), { sql: "SELECT number FROM Kind" }],
  "a float as text": [put("share", "0.25", "float"), { sql: "SELECT share, typeof(share) FROM Kind" }],
  "a decimal as text": [put("exact", "0.25", "decimal"), { sql: "SELECT exact, typeof(exact) FROM Kind" }],
  "a large integer as text": [put("big", "9223372036854775807", "bigint"), { sql: "SELECT big FROM Kind" }],
  "a bigint": [put("big", 12n, "bigint"), { sql: "SELECT big FROM Kind" }],
  "true and false": [put("isSo", false, "boolean"), { sql: "SELECT isSo, typeof(isSo) FROM Kind" }],
  "a time": [put("at", new Date(NOON), "datetime"), { sql: "SELECT at FROM Kind" }],
  "a time as text": [put("at", NOON, "datetime"), { sql: "SELECT at FROM Kind" }],
  "a time as a number": [put("at", Date.parse(NOON), "unknown"), { sql: "SELECT at FROM Kind" }],
  "a time that is none": [put("at", "soon", "datetime")],
  "bytes as text": [put("data", "AQID", "bytes"), { sql: "SELECT data, hex(data) FROM Kind" }],
  bytes: [put("data", Buffer.from([1, 2, 3]), "bytes"), { sql: "SELECT data FROM Kind" }],
  "no bytes": [put("data", Buffer.alloc(0), "bytes"), { sql: "SELECT data FROM Kind" }],
  JSON: [put("json", '{"a":1}', "json"), { sql: "SELECT json FROM Kind" }],
  "a NUL, and what is no text": [put("odd", "a\0b\ud800", "string"), { sql: "SELECT odd, length(odd) FROM Kind" }],
  "nothing for a value": [put("share", null, "float"), { sql: "SELECT share FROM Kind" }],
  "a value that SQLite knows nothing of": [put("odd", { a: 1 }, "json")],
  "too few values": [{ sql: "SELECT ?" }],
  "too many values": [{ sql: "SELECT 1", values: [[1, "int"]] }],
  "a key that is there": [ROW, ROW],
  "a value that is there": [ROW, { sql: "INSERT INTO Kind (id, number) VALUES ('b', 1)" }],
  "two values that are there": [ROW, { sql: "INSERT INTO Kind (id, share, big) SELECT 'b', share, big FROM Kind" }],
  "an index of what is calculated": [
    put("odd", "A", "string"),
    { sql: "INSERT INTO Kind (id, odd) VALUES ('b', 'a')" },
  ],
  "a value that is missing": [{ sql: "INSERT INTO Kind (id) VALUES (NULL)" }],
  "a row that is named and missing": [{ sql: "INSERT INTO Part (kindId) VALUES ('none')" }],
  "a trigger that refuses": [ROW, { sql: "DELETE FROM Kind" }],
  "a value that is not allowed": [{ sql: "INSERT INTO Part (id) VALUES (100)" }],
  "no table": [{ sql: "SELECT * FROM Nothing" }],
  "no column": [{ sql: "SELECT nothing FROM Kind" }],
  "no column to write": [{ sql: "INSERT INTO Kind (nothing) VALUES (1)" }],
  "no SQL": [{ sql: "SELEC 1" }],
  "a change, and how much": [ROW, { sql: "UPDATE Kind SET number = 2" }],
  "a savepoint": [{ sql: "SAVEPOINT one" }, ROW, { sql: "ROLLBACK TO one" }, { sql: "SELECT id FROM Kind" }],
};

test.each(Object.entries(ALIKE))("%s: same result as with Prisma's own adapter", async (_name, given) => {
  const [ours, theirs] = [await opened(), await stock()];
  for (const as of ["queryRaw", "executeRaw"] as const)
    expect(await outcome(ours, given, as), as).toEqual(await outcome(theirs, given, as));
});

test("an unsupported isolation level is refused as by Prisma's own adapter, and blocks nothing", async () => {
  const refusals = [];
  for (const adapter of [await opened(), await stock()]) {
    refusals.push(await adapter.startTransaction("READ COMMITTED").catch((error: unknown) => error));
    await (await adapter.startTransaction()).rollback();
  }
  expect(refusals[0]).toBeInstanceOf(DriverAdapterError);
  expect(refusals[0]).toEqual(refusals[1]);
});

const ALL = { sql: "SELECT id FROM Kind" };

test("reads outside a transaction see committed data only, and writes are refused", async () => {
  const adapter = await opened();
  const transaction = await adapter.startTransaction();
  await transaction.executeRaw(queryOf(ROW));
  expect((await transaction.queryRaw(queryOf(ALL))).rows).toEqual([["a"]]);
  expect((await adapter.queryRaw(queryOf(ALL))).rows).toEqual([]);
  await transaction.executeRaw(queryOf({ sql: "COMMIT" }));
  await transaction.commit();
  expect((await adapter.queryRaw(queryOf(ALL))).rows).toEqual([["a"]]);
  await expect(adapter.executeRaw(queryOf(ROW))).rejects.toMatchObject({ cause: { originalCode: "SQLITE_READONLY" } });
});

test("transactions are serialised, and one that Prisma leaves open is rolled back", async () => {
  const adapter = await opened();
  const first = await adapter.startTransaction();
  const order: string[] = [];
  const second = adapter.startTransaction().then((transaction) => {
    order.push("second begins");
    return transaction;
  });
  await first.executeRaw(queryOf(ROW));
  order.push("first ends");
  // As after a failed COMMIT, no statement precedes the rollback.
  await first.rollback();
  const transaction = await second;
  expect(order).toEqual(["first ends", "second begins"]);
  expect((await transaction.queryRaw(queryOf(ALL))).rows).toEqual([]);
  await transaction.rollback();
});

test("a statement is prepared once, reused with other values, and prepared anew after a failure", async () => {
  const adapter = await opened();
  const transaction = await adapter.startTransaction();
  const found = async (number: number) =>
    (await transaction.queryRaw(queryOf({ sql: "SELECT ? + 0 AS it", values: [[number, "int"]] }))).rows;
  expect([await found(1), await found(2)]).toEqual([[[1]], [[2]]]);
  const later = queryOf({ sql: "SELECT word FROM Word" });
  await expect(transaction.queryRaw(later)).rejects.toMatchObject({ cause: { kind: "TableDoesNotExist" } });
  await transaction.executeRaw(queryOf({ sql: "CREATE TABLE Word (word TEXT)" }));
  expect((await transaction.queryRaw(later)).rows).toEqual([]);
  for (let number = 0; number < 600; number += 1) await transaction.queryRaw(queryOf({ sql: `SELECT ${number}` }));
  expect(await found(3)).toEqual([[3]]);
  await transaction.rollback();
});

test("a script is executed, and fails like a statement", async () => {
  const adapter = await opened();
  await adapter.executeScript("CREATE TABLE One (id TEXT); CREATE TABLE Two (id TEXT);");
  expect((await adapter.queryRaw(queryOf({ sql: "SELECT * FROM Two" }))).columnNames).toEqual(["id"]);
  await expect(adapter.executeScript("DROP TABLE Three")).rejects.toMatchObject({
    cause: { kind: "TableDoesNotExist" },
  });
});
