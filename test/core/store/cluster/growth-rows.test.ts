import { expect, onTestFinished, test } from "vitest";
import {
  type ClusterConnection,
  openClusterConnection,
  setUpCluster,
} from "../../../../src/core/store/cluster/cluster-connection.ts";
import { GrowthRows } from "../../../../src/core/store/cluster/growth-rows.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { type Postgres, query, startPostgres } from "../../../support/database/postgres.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { useShared } from "../../../support/run/use-shared.ts";
import { silentLog } from "../../../support/silent-log.ts";

const DAY_MS = 86_400_000;

let postgres: Postgres;
let url: string;
let observer: ClusterConnection;

useShared(
  async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
    observer = await openClusterConnection(url);
  },
  async () => {
    await observer.close();
    await postgres.stop();
  },
);

/** The figures of one process, and the statements that it sends. */
async function replica(clock: ManualClock) {
  const connection = await openClusterConnection(url);
  onTestFinished(() => connection.close());
  await setUpCluster(connection, systemRuntime(), () => Promise.resolve());
  const asked: string[] = [];
  const ledger = new GrowthRows({
    connection: {
      query(sql, values) {
        asked.push(sql);
        return connection.query(sql, values);
      },
    },
    clock,
    log: silentLog,
  });
  return { ledger, asked, connection };
}

async function replicas() {
  const clock = new ManualClock();
  const [first, second] = [await replica(clock), await replica(clock)];
  return { clock, first, second };
}

const stored = (key: string) =>
  observer.query("SELECT bytes::int FROM deckhand_cluster.growth WHERE key = $1 ORDER BY day", [key]);

test("growth of all processes is summed, and each sees the others' growth within five seconds", async () => {
  const { clock, first, second } = await replicas();
  await first.ledger.ready(["person:A"], null);
  for (let n = 0; n < 50; n++) {
    first.ledger.add("person:A", 10);
    second.ledger.add("person:A", 1);
  }
  expect(first.ledger.bytes("person:A"), "its own counts at once").toBe(500);
  await clock.advance(2_500);
  await expect.poll(() => stored("person:A")).toMatchObject([{ bytes: 550 }]);
  expect(
    first.asked.filter((sql) => sql.startsWith("INSERT")),
    "one that read, one that wrote",
  ).toHaveLength(2);
  await clock.advance(2_500);
  for (const { ledger } of [first, second]) await ledger.ready(["person:A"], null);
  expect([first, second].map(({ ledger }) => ledger.bytes("person:A"))).toEqual([550, 550]);
  expect(first.ledger.ready(["person:A"], null), "it has just been read").toBeNull();
});

test("a process that uses a key for the first time starts from the stored sum", async () => {
  const { first, second } = await replicas();
  first.ledger.add("person:B", 700);
  await first.ledger.close();
  await second.ledger.ready(["person:B"], null);
  expect(second.ledger.bytes("person:B")).toBe(700);
});

test("growth removed by another process is subtracted, but never below zero", async () => {
  const { first, second } = await replicas();
  first.ledger.add("person:C", 700);
  await first.ledger.close();
  await second.ledger.ready(["person:C"], null);
  second.ledger.add("person:C", -9_000);
  expect(second.ledger.bytes("person:C")).toBe(0);
  second.ledger.add("person:C", 30);
  await second.ledger.close();
  expect(await stored("person:C")).toMatchObject([{ bytes: 30 }]);
});

test("a killed process loses at most the growth of its last 2.5 seconds", async () => {
  const { clock, first, second } = await replicas();
  first.ledger.add("person:D", 100);
  await clock.advance(2_500);
  await expect.poll(() => stored("person:D")).toMatchObject([{ bytes: 100 }]);
  first.ledger.add("person:D", 40);
  await query(url, `SELECT pg_terminate_backend(${await backendOf(first)})`);
  await first.connection.broken;
  await second.ledger.ready(["person:D"], null);
  second.ledger.add("person:D", 7);
  expect(second.ledger.bytes("person:D")).toBe(107);
});

async function backendOf({ connection }: Awaited<ReturnType<typeof replica>>): Promise<string> {
  return JSON.stringify(await connection.query("SELECT pg_backend_pid() AS pid")).replaceAll(/\D/gu, "");
}

test("growth that the database did not store stays counted and is stored once later", async () => {
  const { clock, first } = await replicas();
  await query(url, "ALTER TABLE deckhand_cluster.growth RENAME TO away");
  first.ledger.add("person:E", 60);
  await clock.advance(2_500);
  await first.ledger.ready(["person:E"], null);
  expect(first.ledger.bytes("person:E")).toBe(60);
  await query(url, "ALTER TABLE deckhand_cluster.away RENAME TO growth");
  await clock.advance(2_500);
  await expect.poll(() => stored("person:E")).toMatchObject([{ bytes: 60 }]);
  await first.ledger.close();
  expect(await stored("person:E")).toMatchObject([{ bytes: 60 }]);
});

test("sums restart each day, late growth counts for its own day, and old days are deleted", async () => {
  const { clock, first } = await replicas();
  first.ledger.add("person:F", 10);
  await clock.advance(2_500);
  await expect.poll(() => stored("person:F")).toHaveLength(1);
  first.ledger.add("person:F", 5);
  clock.set(clock.now() + DAY_MS);
  expect(first.ledger.bytes("person:F")).toBe(0);
  first.ledger.add("person:F", 1);
  await clock.advance(2_500);
  await expect.poll(() => stored("person:F")).toMatchObject([{ bytes: 15 }, { bytes: 1 }]);
  await clock.advance(DAY_MS);
  first.ledger.add("person:F", 2);
  await clock.advance(2_500);
  await expect.poll(() => stored("person:F")).toMatchObject([{ bytes: 1 }, { bytes: 2 }]);
});

test("the initial size of a directory is the one that the first process recorded", async () => {
  const { first, second } = await replicas();
  await first.ledger.ready([], "/srv/checkout");
  expect(first.ledger.given("/srv/checkout")).toBeNull();
  first.ledger.see("/srv/checkout", 3_000);
  await expect.poll(() => observer.query("SELECT * FROM deckhand_cluster.given_root")).toHaveLength(1);
  await second.ledger.ready([], "/srv/checkout");
  expect(second.ledger.given("/srv/checkout")).toBe(3_000);
  second.ledger.see("/srv/checkout", 9_000);
  await expect.poll(() => second.ledger.given("/srv/checkout")).toBe(3_000);
  expect(second.ledger.ready([], "/srv/checkout")).toBeNull();
});
