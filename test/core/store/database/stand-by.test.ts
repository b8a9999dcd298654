import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ConfigError } from "../../../../src/core/protocol/errors.ts";
import type { Clock } from "../../../../src/core/protocol/runtime.ts";
import { openCluster } from "../../../../src/core/store/cluster/cluster.ts";
import { openClusterConnection } from "../../../../src/core/store/cluster/cluster-connection.ts";
import { openConnection } from "../../../../src/core/store/database/connection/open-connection.ts";
import { acquireLease } from "../../../../src/core/store/database/lease.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { replicaOptions } from "../../../support/database/cluster.ts";
import { startTcpProxy } from "../../../support/database/network/tcp-proxy.ts";
import { type Postgres, query, startPostgres } from "../../../support/database/postgres.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

const { clock } = systemRuntime();
/** A clock on which no wait is longer than a second. */
const quick: Clock = {
  ...clock,
  after: (ms, fn) => clock.after(Math.min(ms, 1_000), fn),
  sleep: (ms, signal) => clock.sleep(Math.min(ms, 1_000), signal),
};
const { signal } = new AbortController();

/** A database with a lease that one process holds, and a proxy to it that can swallow all traffic. */
async function held() {
  const url = await postgres.createDatabase();
  const proxy = await startTcpProxy(url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const lease = await acquireLease({ url, clock, signal, standby: () => undefined });
  onTestFinished(() => lease.release());
  return { lease, proxy, through: proxy.urlOf(url) };
}

test("a standby with a silently dead connection reconnects and takes over", async () => {
  const { lease, proxy, through } = await held();
  const standsBy = Promise.withResolvers<void>();
  const next = acquireLease({ url: through, clock: quick, signal, standby: standsBy.resolve });
  await standsBy.promise;
  proxy.swallow();
  await lease.release();
  await (await next).release();
});

test("a replica waiting over a dead connection exits, to be restarted", async () => {
  const { proxy, through } = await held();
  const standsBy = Promise.withResolvers<void>();
  const options = replicaOptions(through, { ...systemRuntime(), clock: quick });
  const joined = openCluster({ ...options, standBy: standsBy.resolve });
  await standsBy.promise;
  proxy.swallow();
  await expect(joined).rejects.toThrow("the database does not answer");
});

test("a connection that the database does not let set up is closed", async () => {
  const url = await postgres.createDatabase();
  await query(url, "CREATE USER unset; REVOKE SELECT ON pg_settings FROM PUBLIC");
  const operator = await openConnection(url);
  onTestFinished(() => operator.connection.end());
  const asUnset = Object.assign(new URL(url), { username: "unset" }).href;
  const options = { url: asUnset, clock, signal, standby: () => undefined };
  await expect(acquireLease(options)).rejects.toThrow(ConfigError);
  await expect(openClusterConnection(asUnset)).rejects.toThrow(ConfigError);
  const open = () => operator.connection.query("SELECT usename FROM pg_stat_activity WHERE usename = 'unset'");
  await expect.poll(async () => (await open()).rows).toEqual([]);
});

test("an idle timeout set by the operator does not close connections that hold liveness locks", async () => {
  const url = await postgres.createDatabase();
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET idle_session_timeout = 1000`);
  const lease = await acquireLease({ url, clock, signal, standby: () => undefined });
  onTestFinished(() => lease.release());
  const cluster = await openClusterConnection(url);
  onTestFinished(() => cluster.close());
  const other = await openConnection(url);
  const ends = [lease.lost.then(() => "lease"), cluster.broken.then(() => "cluster"), other.broken.then(() => "other")];
  expect(await Promise.race(ends)).toBe("other");
});
