import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { isDatabaseUnavailable, isStoreFailure } from "../../../../src/core/protocol/database-failure.ts";
import { openStore, type Store } from "../../../../src/core/store/store.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { startPooler } from "../../../support/database/network/pooler.ts";
import { type Postgres, query, startOwnPostgres } from "../../../support/database/postgres.ts";
import { until } from "../../../support/program/bot.ts";

let postgres: Postgres;
let operator: Client;
let direct: string;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  operator = new Client({ connectionString: postgres.url });
  await operator.connect();
});
afterAll(async () => {
  await operator.end();
  await postgres.stop();
});
beforeEach(async () => {
  direct = await postgres.createDatabase();
});

const databases = [
  { where: "directly", open: () => Promise.resolve(direct) },
  {
    where: "through a pooler",
    open: async () => {
      const pooler = await startPooler(direct);
      onTestFinished(() => pooler[Symbol.asyncDispose]());
      return pooler.urlOf(direct);
    },
  },
];

async function storeAt(url: string): Promise<Store> {
  const store = await openStore(url, systemRuntime());
  onTestFinished(() => store.close());
  return store;
}

const ours = (what: string, where: string) => `SELECT ${what} FROM pg_stat_activity WHERE datname = $1 AND ${where}`;

async function cut(): Promise<void> {
  await operator.query(ours("pg_terminate_backend(pid)", "true"), [new URL(direct).pathname.slice(1)]);
}

/** Expects a failure of the database that people may be told of and that a retry may overcome. */
async function expectAway(failed: Promise<unknown>): Promise<void> {
  const error = await failed.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(isStoreFailure(error)).toBe(true);
  expect(isDatabaseUnavailable(error), String(error)).toBe(true);
}

test.each(databases)("a connection that breaks between two statements of a transaction, $where", async ({ open }) => {
  const store = await storeAt(await open());
  await expectAway(
    store.transaction(async (tx) => {
      await tx.runs.interrupted();
      await cut();
      return tx.runs.interrupted();
    }),
  );
  // A pooler may hand out one more dead connection before it notices.
  await expect.poll(() => store.transaction((tx) => tx.runs.interrupted())).toEqual([]);
});

test.each(databases)("a connection that breaks in the middle of a statement, $where", async ({ open }) => {
  const store = await storeAt(await open());
  const slow = () => store.tables((db) => db.$queryRaw`SELECT pg_sleep(60)::text`);
  const failed = expectAway(store.transaction((tx) => tx.tables((db) => db.$queryRaw`SELECT pg_sleep(60)::text`)));
  const alsoFailed = expectAway(slow());
  const areBusy = async () => {
    const { rows } = await operator.query(ours("", "state = 'active'"), [new URL(direct).pathname.slice(1)]);
    return rows.length === 2;
  };
  await until(areBusy, { what: () => "the statements" });
  await cut();
  await Promise.all([failed, alsoFailed]);
  await expect.poll(() => store.runs.interrupted()).toEqual([]);
});

test("connections that the server does not give", async () => {
  // Users belong to the server and outlive the database, so each test needs its own.
  const few = `few_${randomUUID().slice(0, 8)}`;
  await query(direct, `CREATE USER ${few} CONNECTION LIMIT 2; GRANT ALL ON SCHEMA public TO ${few}`);
  const store = await storeAt(direct.replace("postgres@", `${few}@`));
  const held = Promise.withResolvers<void>();
  const hold = () => store.transaction(() => held.promise);
  const both = [hold(), hold()];
  const areOpen = async () => {
    const { rows } = await operator.query(ours("", "state LIKE 'idle in%'"), [new URL(direct).pathname.slice(1)]);
    return rows.length === 2;
  };
  await until(areOpen, { what: () => "the transactions" });
  await expectAway(store.transaction((tx) => tx.runs.interrupted()));
  await expectAway(store.runs.interrupted());
  held.resolve();
  await Promise.all(both);
  expect(await store.runs.interrupted()).toEqual([]);
  await query(direct, `ALTER ROLE ${few} NOLOGIN`);
  await cut();
  await expect.poll(() => store.runs.interrupted().catch(String)).toMatch(/denied/u);
  await expectAway(store.runs.interrupted());
});
