import { array, assert, asyncProperty, integer, nat, record } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RateRequest, RateResult } from "../../../../src/core/shared-rates.ts";
import {
  type ClusterConnection,
  openClusterConnection,
  setUpCluster,
} from "../../../../src/core/store/cluster/cluster-connection.ts";
import { RateRows } from "../../../../src/core/store/cluster/rate-rows.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { type Postgres, query, startPostgres } from "../../../support/database/postgres.ts";
import { silentLog } from "../../../support/silent-log.ts";

const { clock } = systemRuntime();
const CLIENTS = 4;

let postgres: Postgres;
let url: string;
let connections: ClusterConnection[];
let clients: RateRows[];
let names = 0;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase();
  connections = await Promise.all(Array.from({ length: CLIENTS }, () => openClusterConnection(url)));
  for (const connection of connections) await setUpCluster(connection, { clock }, () => Promise.resolve());
  clients = connections.map((connection) => new RateRows({ connection, clock, log: silentLog }));
});

afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await postgres.stop();
});

/** A request to a bucket that no other test uses. */
function fresh(rate: RateRequest["rate"]): RateRequest {
  names += 1;
  return { bucket: `bucket ${names}`, gate: `gate ${names}`, rate, reserved: 0 };
}

function take(client: RateRows, ask: RateRequest): Promise<RateResult> {
  return new Promise((resolve) => client.take(ask, resolve));
}

/** Sends the requests at once, and returns how many of them got a token. */
async function taken(asks: readonly RateRequest[]): Promise<number> {
  const answers = await Promise.all(asks.map((ask, n) => take(clients[n % CLIENTS] ?? expect.fail(), ask)));
  return answers.filter(({ isTaken }) => isTaken).length;
}

const SLOW = { burst: 5, everyMs: 60_000 };

test("concurrent requests of several processes take exactly the tokens of a bucket", async () => {
  const ask = fresh(SLOW);
  expect(await taken(Array.from({ length: 40 }, () => ask))).toBe(5);
  expect(await take(clients[0] ?? expect.fail(), ask)).toMatchObject({ isTaken: false, closedMs: 0 });
});

test("reserved tokens are left for more urgent lanes", async () => {
  const ask = fresh(SLOW);
  expect(await taken(Array.from({ length: 20 }, () => ({ ...ask, reserved: 2 })))).toBe(3);
  expect(await taken(Array.from({ length: 20 }, () => ask))).toBe(2);
});

test("a refunded token is available to other processes", async () => {
  const ask = fresh(SLOW);
  await taken(Array.from({ length: 5 }, () => ask));
  const [first, second] = clients;
  first?.refund(ask.bucket, ask.rate);
  await expect.poll(() => take(second ?? expect.fail(), ask)).toMatchObject({ isTaken: true });
  expect(await taken([ask, ask])).toBe(0);
});

test("a gate closed by one process is closed for all processes and all of its buckets", async () => {
  const ask = fresh(SLOW);
  const [first = expect.fail(), second = expect.fail()] = clients;
  first.closeGate(ask.gate, 30_000);
  await take(first, fresh(SLOW));
  await take(first, fresh(SLOW));
  const { isTaken, closedMs } = await take(second, { ...ask, bucket: "another" });
  expect(isTaken).toBe(false);
  expect(closedMs).toBeGreaterThan(25_000);
  expect(closedMs).toBeLessThanOrEqual(30_000);
  first.closeGate(ask.gate, 1_000);
  await take(first, fresh(SLOW));
  expect((await take(second, ask)).closedMs).toBeGreaterThan(20_000);
});

test("a reported deficit applies to all processes, capped at the bucket's size", async () => {
  const ask = fresh(SLOW);
  const [first = expect.fail(), second = expect.fail()] = clients;
  expect(await taken([ask])).toBe(1);
  first.reportDeficit(ask.bucket, ask.rate, 180_000);
  await take(first, fresh(SLOW));
  expect(await taken([ask, ask, ask])).toBe(2);
  first.reportDeficit(ask.bucket, ask.rate, 9_000_000);
  const another = fresh(SLOW);
  first.reportDeficit(another.bucket, ask.rate, 9_000_000);
  await take(first, fresh(SLOW));
  for (const each of [ask, another]) expect((await take(second, each)).lacksMs).toBeLessThanOrEqual(300_000);
});

test("requests for different buckets share one statement, and none waits for another", async () => {
  const asks = Array.from({ length: 300 }, () => fresh(SLOW));
  const orders = [asks, asks.toReversed(), asks, asks.toReversed()];
  const answers = orders.map((order, n) => Promise.all(order.map((ask) => take(clients[n] ?? expect.fail(), ask))));
  expect((await Promise.all(answers)).flat().every(({ isTaken }) => isTaken)).toBe(true);
});

test("rows of full buckets are deleted", async () => {
  const ask = fresh({ burst: 1, everyMs: 1 });
  await taken([ask]);
  await query(url, "UPDATE deckhand_cluster.rate SET full_at = now() - interval '2 minutes'");
  let now = clock.now();
  const [connection = expect.fail()] = connections;
  const client = new RateRows({ connection, clock: { ...clock, now: () => now }, log: silentLog });
  now += 61_000;
  await take(client, fresh(SLOW));
  await take(client, fresh(SLOW));
  const rows = await connection.query("SELECT FROM deckhand_cluster.rate WHERE name = $1", [ask.bucket]);
  expect(rows).toEqual([]);
});

test("no time window exceeds the rate, whenever processes request tokens", async () => {
  const asking = record({
    burst: integer({ min: 1, max: 6 }),
    everyMs: integer({ min: 3, max: 25 }),
    // The pause between two requests of each process, and the tokens that it leaves for others.
    clients: array(record({ pauseMs: nat(12), reserved: nat(3) }), { minLength: 2, maxLength: CLIENTS }),
  });
  await assert(
    asyncProperty(asking, async ({ burst, everyMs, clients: askers }) => {
      const ask = fresh({ burst, everyMs });
      const grants: { from: number; to: number }[] = [];
      const until = performance.now() + 120;
      const drive = async ({ pauseMs, reserved }: { pauseMs: number; reserved: number }, n: number) => {
        while (performance.now() < until) {
          const from = performance.now();
          const answer = await take(clients[n] ?? expect.fail(), { ...ask, reserved: Math.min(reserved, burst - 1) });
          if (answer.isTaken) grants.push({ from, to: performance.now() });
          await clock.sleep(pauseMs, new AbortController().signal);
        }
      };
      await Promise.all(askers.map(drive));
      expect(grants.length).toBeGreaterThan(0);
      // A token is taken at some time between its request and its answer, so a series lasts at most from the earliest
      // request to the last answer.
      grants.sort((a, b) => a.to - b.to);
      for (const [first, { from }] of grants.entries()) {
        let earliest = from;
        for (const [last, { from: asked, to }] of grants.entries()) {
          if (last < first) continue;
          earliest = Math.min(earliest, asked);
          expect(last - first + 1).toBeLessThanOrEqual(burst + (to - earliest) / everyMs + 0.001);
        }
      }
    }),
    { numRuns: 25 },
  );
});
