import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterLock } from "../../../../src/core/cluster.ts";
import { type OpenCluster, openCluster } from "../../../../src/core/store/cluster/cluster.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { NO_CLAIMS, replicaOptions } from "../../../support/database/cluster.ts";
import { type Postgres, query, startPostgres } from "../../../support/database/postgres.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

/** `count` processes on a new database. */
async function replicas(count: number) {
  const url = await postgres.createDatabase();
  await query(url, NO_CLAIMS);
  const all: OpenCluster[] = [];
  for (let made = 0; made < count; made += 1) {
    const cluster = await openCluster(replicaOptions(url, systemRuntime()));
    cluster.begin(() => undefined);
    all.push(cluster);
  }
  const [a, b, c] = all;
  if (a === undefined || b === undefined) throw new Error("two are needed at least");
  const end = async () => {
    await Promise.all(all.map((cluster) => cluster.leave()));
    await Promise.all(all.map((cluster) => cluster.close()));
  };
  return { url, a, b, c: c ?? b, [Symbol.asyncDispose]: end };
}

/** Asks for a lock; records how many are before it, and the order in which locks are taken. */
function asking({ lock }: OpenCluster, name: string, order: string[] = []) {
  const stop = new AbortController();
  const waits: number[] = [];
  const told = Promise.withResolvers<void>();
  const queued = (before: number) => {
    waits.push(before);
    told.resolve();
  };
  const held = lock("root", { signal: stop.signal, queued }).then((taken: ClusterLock) => {
    order.push(name);
    return taken;
  });
  return { held, waits, queued: told.promise, stop };
}

const end = (lock: ClusterLock) => lock[Symbol.dispose]();

test("one process at a time holds a lock, in order of requests, and each knows its queue position", async () => {
  await using all = await replicas(3);
  const order: string[] = [];
  const first = await asking(all.a, "a", order).held;
  const b = asking(all.b, "b", order);
  await b.queued;
  const c = asking(all.c, "c", order);
  await c.queued;
  expect([b.waits, c.waits]).toEqual([[1], [2]]);
  end(first);
  end(await b.held);
  end(await c.held);
  expect(order).toEqual(["a", "b", "c"]);
});

test("work in one process shares a lock until another process waits; later requests then queue behind that process", async () => {
  await using all = await replicas(2);
  const order: string[] = [];
  const [one, two] = [await asking(all.a, "one", order).held, await asking(all.a, "two", order).held];
  const heard = Promise.withResolvers<string>();
  all.a.subscribe("locks", heard.resolve);
  const other = asking(all.b, "other", order);
  await heard.promise;
  const three = asking(all.a, "three", order);
  end(one);
  end(two);
  end(await other.held);
  end(await three.held);
  expect(order).toEqual(["one", "two", "other", "three"]);
});

test("a process that stops waiting leaves the queue", async () => {
  await using all = await replicas(3);
  const first = await asking(all.a, "a").held;
  const b = asking(all.b, "b");
  await b.queued;
  const c = asking(all.c, "c");
  await c.queued;
  const reason = new Error("stopped");
  b.stop.abort(reason);
  await expect(b.held).rejects.toBe(reason);
  end(first);
  end(await c.held);
});

test("a dead process loses its lock and its place in the queue", async () => {
  await using all = await replicas(3);
  await asking(all.a, "a").held;
  const b = asking(all.b, "b");
  await b.queued;
  const c = asking(all.c, "c");
  await c.queued;
  b.held.catch(() => undefined); // its process dies
  await Promise.all([all.a.close(), all.b.close()]);
  end(await c.held);
});

test("the row of an unused lock is soon deleted", async () => {
  await using all = await replicas(2);
  end(await asking(all.a, "a").held);
  const left = () =>
    all.b.connection.query("SELECT name FROM deckhand_cluster.lock UNION SELECT name FROM deckhand_cluster.lock_wait");
  await expect.poll(left).toEqual([]);
});

test("a process that the others have declared dead gets no lock, though it held one a moment ago", async () => {
  await using all = await replicas(2);
  const held = await asking(all.a, "a").held;
  expect(held.validForMs()).toBeGreaterThan(0);
  await query(all.url, `DELETE FROM deckhand_cluster.replica WHERE id = '${all.a.id}'`);
  await expect.poll(() => held.validForMs()).toBe(0);
  await expect(held.requireHeld()).rejects.toMatchObject({ code: "stale_owner" });
  await expect(asking(all.a, "again").held).rejects.toMatchObject({ code: "stale_owner" });
});
