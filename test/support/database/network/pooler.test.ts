import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { until } from "../../program/bot.ts";
import { type Postgres, startOwnPostgres } from "../postgres.ts";
import { type Pooler, startPooler } from "./pooler.ts";

let postgres: Postgres;
let direct: string;
let pooler: Pooler;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  direct = await postgres.createDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  pooler = await startPooler(direct, { poolSize: 3 });
  onTestFinished(() => pooler[Symbol.asyncDispose]());
});

async function client(url = pooler.urlOf(direct)): Promise<Client> {
  const made = new Client({ connectionString: url });
  made.on("error", () => undefined);
  onTestFinished(() => made.end().catch(() => undefined)); // the connection may be broken
  await made.connect();
  return made;
}

async function backendOf(one: Client): Promise<number> {
  const { rows } = await one.query("SELECT pg_backend_pid() AS pid");
  return Number(rows[0]?.pid);
}

test("each transaction of a client is carried by another connection, and each statement of one by the same", async () => {
  const one = await client();
  const before = await backendOf(one);
  await one.query("BEGIN");
  const within = [await backendOf(one), await backendOf(one)];
  await one.query("SELECT $1::int", [1]);
  within.push(await backendOf(one));
  await one.query("COMMIT");
  const after = await backendOf(one);
  expect(new Set(within).size).toBe(1);
  expect(within[0]).not.toBe(before);
  expect(after).not.toBe(within[0]);
});

test("many clients share a few connections, and what is read of big tables arrives whole", async () => {
  const clients = await Promise.all(Array.from({ length: 12 }, () => client()));
  const sums = await Promise.all(
    clients.map(async (one, index) => {
      await one.query("BEGIN");
      const { rows } = await one.query("SELECT n, repeat('x', 1000) AS text FROM generate_series(1, $1) AS n", [2_000]);
      await one.query("COMMIT");
      return rows.length + index;
    }),
  );
  expect(sums).toEqual(clients.map((_, index) => 2_000 + index));
  expect(pooler.backends()).toBe(3);
  expect(pooler.sessionState).toEqual([]);
});

test("a lock of a session is soon somebody else's, and is noticed as what a pooler does not carry", async () => {
  const one = await client();
  await one.query("SELECT pg_advisory_lock(4711)");
  const { rows } = await one.query("SELECT pg_advisory_unlock(4711) AS had_it");
  expect(rows).toEqual([{ had_it: false }]);
  expect(pooler.sessionState).toEqual(["SELECT pg_advisory_lock(4711)", "SELECT pg_advisory_unlock(4711) AS had_it"]);
});

test("a prepared statement with a name is not there in the next transaction", async () => {
  const one = await client();
  const named = { name: "mine", text: "SELECT $1::int AS n" };
  await one.query({ ...named, values: [1] });
  await expect(one.query({ ...named, values: [2] })).rejects.toThrow('prepared statement "mine" does not exist');
  expect(pooler.sessionState).toEqual(["statement mine: SELECT $1::int AS n"]);
});

test("notifications do not reach who listens through it", async () => {
  const [listener, teller] = [await client(), await client(direct)];
  const heard: string[] = [];
  listener.on("notification", ({ channel }) => heard.push(channel));
  await listener.query("LISTEN news");
  await listener.query("SELECT 1");
  await teller.query("NOTIFY news");
  for (let index = 0; index < 2; index += 1) await teller.query("SELECT 1");
  expect(heard).toEqual([]);
  expect(pooler.sessionState).toEqual(["LISTEN news"]);
});

const lasting = [
  "SET statement_timeout = 1000",
  "BEGIN; SET search_path TO x; COMMIT",
  "CREATE TEMP TABLE t ()",
  "SELECT set_config('search_path', 'x', false)",
  "SELECT pg_try_advisory_lock_shared(1)",
];
test.each(lasting)("%s is meant to hold beyond its transaction", async (sql) => {
  await (await client()).query(sql);
  expect(pooler.sessionState).toHaveLength(1);
});

const passing = [
  "BEGIN; SET LOCAL statement_timeout = 1000; COMMIT",
  "BEGIN; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; COMMIT",
  "SELECT pg_advisory_xact_lock(1)",
  "SELECT pg_notify('x', 'y')",
  "UPDATE pg_class SET relname = relname WHERE false",
];
test.each(passing)("%s is not", async (sql) => {
  await (await client()).query(sql);
  expect(pooler.sessionState).toEqual([]);
});

test("a client that dies within a transaction takes its connection with it, and nothing is committed", async () => {
  const [one, observer] = [await client(), await client(direct)];
  await observer.query("DROP TABLE IF EXISTS kept; CREATE TABLE kept (n int)");
  await one.query("BEGIN");
  await one.query("INSERT INTO kept VALUES (1)");
  await one.end();
  await until(() => pooler.clients() === 0, { what: () => "the client's end" });
  const isOpen = async () => {
    const { rows } = await observer.query("SELECT FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'");
    return rows.length > 0;
  };
  await until(async () => !(await isOpen()), { what: () => "the end of the transaction" });
  expect((await observer.query("SELECT FROM kept")).rows).toEqual([]);
});

test("a connection that the server ends is the client's error, and the next client has another", async () => {
  const [one, operator] = [await client(), await client(direct)];
  await one.query("BEGIN");
  const pid = await backendOf(one);
  await operator.query("SELECT pg_terminate_backend($1)", [pid]);
  await expect(one.query("SELECT 1")).rejects.toThrow();
  expect(await backendOf(await client())).not.toBe(pid);
});

test("an error within a transaction is told, and the transaction goes on until its client ends it", async () => {
  const one = await client();
  await one.query("BEGIN");
  const pid = await backendOf(one);
  await expect(one.query("SELECT 1 / $1::int", [0])).rejects.toThrow("division by zero");
  await expect(one.query("SELECT 1")).rejects.toThrow("current transaction is aborted");
  await one.query("ROLLBACK");
  expect(await backendOf(one)).not.toBe(pid);
});

test("who cannot be let in is told why by the server itself", async () => {
  const url = new URL(pooler.urlOf(direct));
  url.pathname = "/nowhere";
  await expect(client(url.href)).rejects.toThrow('database "nowhere" does not exist');
});

test("a parameter that the pooler cannot set for a client is refused", async () => {
  const url = new URL(pooler.urlOf(direct));
  url.searchParams.set("options", "-c statement_timeout=5");
  await expect(client(url.href)).rejects.toThrow("unsupported startup parameter: options");
});
