import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startupErrorLines } from "../../../../src/cli/startup-error.ts";
import type { AppError } from "../../../../src/core/protocol/errors.ts";
import type { Clock } from "../../../../src/core/protocol/runtime.ts";
import { openCluster } from "../../../../src/core/store/cluster/cluster.ts";
import { openClusterConnection, setUpCluster } from "../../../../src/core/store/cluster/cluster-connection.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { NO_CLAIMS, replicaOptions, startReplica } from "../../../support/database/cluster.ts";
import { startTcpProxy, type TcpProxy } from "../../../support/database/network/tcp-proxy.ts";
import { type Postgres, query, startPostgres } from "../../../support/database/postgres.ts";
import { silentLog } from "../../../support/silent-log.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

/** A process that sends heartbeats and watches the others. */
async function beating(url: string, clock: Clock = systemRuntime().clock) {
  const seen = { isLost: false, isClockOff: false };
  const cluster = await openCluster({
    ...replicaOptions(url, { ...systemRuntime(), clock }),
    log: {
      ...silentLog,
      warn: (_fields, event) => {
        seen.isClockOff ||= event === "clock_off";
      },
    },
    lost: () => {
      seen.isLost = true;
    },
  });
  onTestFinished(() => cluster.close());
  cluster.begin(() => undefined);
  return { cluster, seen };
}

/** A database that is reached through a network proxy. */
async function faraway(): Promise<{ readonly url: string; readonly proxy: TcpProxy; readonly through: string }> {
  const url = await postgres.createDatabase();
  await query(url, NO_CLAIMS);
  const proxy = await startTcpProxy(url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return { url, proxy, through: proxy.urlOf(url) };
}

test("a killed process is not counted as a member, even if its row still exists", async () => {
  const url = await postgres.createDatabase();
  const killed = await openCluster(replicaOptions(url, systemRuntime()));
  await killed.close();
  const next = await openCluster(replicaOptions(url, systemRuntime()));
  onTestFinished(() => next.close());
  await expect.poll(async () => (await next.members()).map(({ id }) => id)).toEqual([next.id]);
});

test("a statement timeout set by the operator does not make a process with a delayed heartbeat count as dead", async () => {
  const url = await postgres.createDatabase();
  await query(url, NO_CLAIMS);
  const limited = new URL(url);
  limited.searchParams.set("options", "-c statement_timeout=50 -c lock_timeout=50");
  const { cluster, seen } = await beating(limited.href);
  const asked = async () => {
    await cluster.others();
    return seen.isLost;
  };
  // The first heartbeat has been answered once this resolves.
  await asked();
  await query(url, "BEGIN; LOCK TABLE deckhand_cluster.replica; SELECT pg_sleep(1); COMMIT");
  expect(await asked()).toBe(false);
});

test("a start does not wait for another process that froze during its start", async () => {
  const url = await postgres.createDatabase();
  const { clock } = systemRuntime();
  const [frozen, next] = [await openClusterConnection(url), await openClusterConnection(url)];
  onTestFinished(() => Promise.all([frozen.close(), next.close()]).then(() => undefined));
  const begun = Promise.withResolvers<void>();
  const freeze = async () => {
    begun.resolve();
    await frozen.broken;
  };
  const refused = expect(setUpCluster(frozen, { clock, frozenMs: 100 }, freeze)).rejects.toThrow();
  // On a busy machine, the set-up may be refused as frozen before it freezes.
  await Promise.race([begun.promise, refused]);
  expect(await setUpCluster(next, { clock }, () => Promise.resolve("set up"))).toBe("set up");
  await refused;
});

test("a lock on the session table does not delay heartbeats", async () => {
  const url = await postgres.createDatabase();
  const { cluster } = await startReplica(url);
  const operator = new Client({ connectionString: url });
  await operator.connect();
  onTestFinished(() => operator.end());
  await operator.query('BEGIN; LOCK TABLE "Session"');
  const waits = `SELECT FROM pg_locks WHERE relation = '"Session"'::regclass AND NOT granted`;
  await expect.poll(async () => (await operator.query(waits)).rows.length).toBeGreaterThan(0);
  expect(await cluster.members()).toHaveLength(1);
  await operator.query("ROLLBACK");
});

test("a long start keeps renewing its membership", async () => {
  const url = await postgres.createDatabase();
  const starting = await openCluster(replicaOptions(url, systemRuntime()));
  onTestFinished(() => starting.close());
  const last = async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("SELECT beat::text FROM deckhand_cluster.replica");
    await client.end();
    return rows[0]?.beat;
  };
  const joined = await last();
  await expect.poll(last).not.toBe(joined);
});

test("a start during a database dump neither waits nor blocks heartbeats", async () => {
  const url = await postgres.createDatabase();
  const first = await startReplica(url);
  const dump = new Client({ connectionString: url });
  onTestFinished(() => dump.end());
  await dump.connect();
  await dump.query("BEGIN");
  const { rows } = await dump.query(
    `SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS all FROM pg_tables
     WHERE schemaname IN ('public', 'dbos', 'deckhand_cluster')`,
  );
  await dump.query(`LOCK TABLE ${rows[0]?.all} IN ACCESS SHARE MODE`);
  const second = await startReplica(url);
  expect(await second.cluster.others()).toHaveLength(1);
  expect([first.life, second.life]).toEqual([{ isLost: false }, { isLost: false }]);
});

test("of the last two processes only one stops if both are drained at the same time", async () => {
  const url = await postgres.createDatabase();
  await query(url, NO_CLAIMS);
  const [one, other] = [await beating(url), await beating(url)];
  for (let round = 0; round < 20; round += 1) {
    const outcomes = await Promise.all([one.cluster.drain(other.cluster.id), other.cluster.drain(one.cluster.id)]);
    expect(outcomes.toSorted()).toEqual(["asked", "last"]);
    await query(url, "UPDATE deckhand_cluster.replica SET draining = false");
  }
  expect(await one.cluster.drain("somebody")).toBe("gone");
  expect([one.seen.isLost, other.seen.isLost]).toEqual([false, false]);
});

test("losing the database is reported to the operator in other words than to a thread", async () => {
  const url = await postgres.createDatabase();
  const lost = Promise.withResolvers<AppError>();
  const cluster = await openCluster({ ...replicaOptions(url, systemRuntime()), lost: lost.resolve });
  onTestFinished(() => cluster.close());
  await query(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'deckhand cluster' AND datname = current_database()",
  );
  expect(startupErrorLines(await lost.promise)).toEqual([
    expect.stringMatching(/^✗ The database has stopped responding, .* restart me\.$/u),
  ]);
});

test("a network pause that affects all processes makes none count as dead and shifts no clock", async () => {
  const { url, proxy, through } = await faraway();
  const replicas = [await beating(through), await beating(through)];
  // The observer declares no process dead, but sees when each has been silent for too long.
  const observer = await openCluster(replicaOptions(url, systemRuntime()));
  onTestFinished(() => observer.close());
  const living = async () => (await observer.others()).length;
  expect(await living()).toBe(2);
  proxy.freeze();
  await expect.poll(living).toBe(0);
  proxy.thaw();
  for (const { cluster } of replicas) await cluster.requireAlive();
  await expect.poll(living).toBe(2);
  expect(replicas.map(({ seen }) => seen)).toEqual([
    { isLost: false, isClockOff: false },
    { isLost: false, isClockOff: false },
  ]);
});

test("a network that drops all packets ends the process, whatever its heartbeat waits behind", async () => {
  const { proxy, through } = await faraway();
  const { clock } = systemRuntime();
  // No wait lasts longer than two seconds.
  const quick: Clock = { ...clock, after: (ms, then) => clock.after(Math.min(ms, 2_000), then) };
  const { cluster, seen } = await beating(through, quick);
  // The first heartbeat has been answered once this resolves, and the second is not due yet.
  await cluster.others();
  expect(seen.isLost).toBe(false);
  proxy.freeze();
  // A query sent before the heartbeat waits for its answer forever.
  const others = cluster.others();
  await expect.poll(() => seen.isLost).toBe(true);
  proxy.cut();
  await expect(others).rejects.toThrow();
});
