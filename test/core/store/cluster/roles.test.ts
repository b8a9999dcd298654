import { afterAll, beforeAll, expect, test } from "vitest";
import { whenAborted } from "../../../../src/core/hold-roles.ts";
import { openCluster } from "../../../../src/core/store/cluster/cluster.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { replicaOptions } from "../../../support/database/cluster.ts";
import { type Postgres, startPostgres } from "../../../support/database/postgres.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

const PLACES = ["place:1", "place:2"];

/** A process that wants one of the places; `places` has an entry for each time it got one. */
async function replica(url: string) {
  const cluster = await openCluster(replicaOptions(url, systemRuntime()));
  const places: number[] = [];
  const work = async (signal: AbortSignal) => {
    places.push(1);
    await whenAborted(signal);
  };
  let giveUp = cluster.hold(PLACES, work);
  return {
    cluster,
    places,
    giveUp: () => giveUp(),
    /** Asks for a place again, as each heartbeat does. */
    askAgain() {
      giveUp = cluster.hold(PLACES, work);
    },
    async [Symbol.asyncDispose]() {
      await cluster.leave();
      await cluster.close();
    },
  };
}

test("each process holds one free role, and further processes wait until a role is released", async () => {
  const url = await postgres.createDatabase();
  await using first = await replica(url);
  await using second = await replica(url);
  await expect.poll(() => [first, second].map(({ places }) => places.length)).toEqual([1, 1]);
  await using third = await replica(url);
  expect(await third.cluster.others()).toHaveLength(2);
  third.askAgain();
  expect((await third.cluster.others()).map(({ state }) => state)).toEqual([{}, {}]);
  expect(third.places).toEqual([]);
  await first.giveUp();
  third.askAgain();
  await expect.poll(() => third.places.length).toBe(1);
  expect([first, second].map(({ places }) => places.length)).toEqual([1, 1]);
});

test("the holder of a shard's role stores the gateway session, and its successor reads it", async () => {
  const url = await postgres.createDatabase();
  await using first = await replica(url);
  await using second = await replica(url);
  await expect.poll(() => [first, second].map(({ places }) => places.length)).toEqual([1, 1]);
  const [one, two] = [first.cluster.gatewaySessions, second.cluster.gatewaySessions];
  const ownOf = async (sessions: typeof one) => {
    for (const place of PLACES) await sessions.keep(place, { by: sessions === one ? "first" : "second" });
  };
  await ownOf(one);
  await ownOf(two);
  const kept = await Promise.all(PLACES.map((place) => one.of(place)));
  expect(kept.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
    { by: "first" },
    { by: "second" },
  ]);
  expect(await two.of("place:3")).toBeNull();
});
