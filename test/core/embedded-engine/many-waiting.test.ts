import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EmbeddedEngine } from "../../../src/core/embedded-engine/embedded-engine.ts";
import type { TurnContext, Wake } from "../../../src/core/engine/engine.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { aborted, createSession, event, Recorder } from "../../contracts/engine-recorder.ts";
import { aroundWakes } from "../../support/around-wakes.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/program/bot.ts";
import { countingIds, seededRandom } from "../../support/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const SESSIONS = 60;
const PLACES = 4;
const CHANNELS = 6;

/** A database that a process left with an event waiting in each of many sessions. */
async function waitingStore(clock: ManualClock, sessions: number): Promise<{ store: Store; ids: readonly string[] }> {
  const runtime = { clock, ids: countingIds(), random: seededRandom(1) };
  const store = await openFileStore(path.join(tempDirectory(), "many.db"), runtime);
  onTestFinished(() => store.close());
  const ids: string[] = [];
  for (let number = 0; number < sessions; number += 1) {
    const id = await createSession(store, `channel-${number % CHANNELS}`);
    const waiting = { event: event(`${id}:a`), wakes: true, resumes: false, dueAt: clock.now(), at: clock.now() };
    await store.transaction((tx) => tx.inbox.insert({ sessionId: id, ...waiting }));
    ids.push(id);
  }
  return { store, ids };
}

function engineOver(store: Store, clock: ManualClock, maxConcurrentRuns: number): EmbeddedEngine {
  const runtime = { clock, ids: countingIds(), random: seededRandom(2) };
  const target = () => ({ find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) });
  return new EmbeddedEngine({ store, runtime, log: silentLog, maxConcurrentRuns, target });
}

test("a start does not wait for queued sessions, each of which then runs once, in order", async () => {
  const clock = new ManualClock();
  const { store, ids } = await waitingStore(clock, SESSIONS);
  const writes = { begun: 0 };
  const counted: Store = { ...store, transaction: (work) => ((writes.begun += 1), store.transaction(work)) };
  // All sessions are one person's, who may use every place except those that are kept for others.
  const engine = engineOver(counted, clock, PLACES + 1);
  const gate = Promise.withResolvers<void>();
  const seen = new Recorder();
  const handler = seen.handler(() => gate.promise);
  const told: string[] = [];
  await engine.start({
    ...handler,
    queued: (wake, context, before) => (told.push(wake.sessionId), handler.queued(wake, context, before)),
  });
  // The first waiting run is being begun.
  expect(writes.begun).toBeLessThanOrEqual(PLACES + 1);
  expect(engine.load()).toEqual({ running: PLACES, waiting: SESSIONS - PLACES });

  // All waiting runs begin without a place, and are told in batches how many are before them.
  const waits = async () => {
    await clock.advance(20);
    return (await store.runs.interrupted()).length === SESSIONS;
  };
  await until(waits, { what: () => "all runs to have begun" });
  await clock.advance(500);
  expect(new Set(told)).toEqual(new Set(ids.slice(PLACES)));
  expect(told.length).toBeLessThan(SESSIONS ** 2 / 4);
  expect([...seen.positions.values()].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: SESSIONS - PLACES }, (_, before) => before),
  );

  gate.resolve();
  await seen.ended(SESSIONS);
  expect(seen.keys().toSorted()).toEqual(ids.map((id) => `${id}:a`).toSorted());
  const stopping = engine.stop(1_000);
  await clock.advance(1_000);
  await stopping;
});

test("a session that gets a slot while its queued run is being created keeps that run", async () => {
  const clock = new ManualClock();
  const { store, ids } = await waitingStore(clock, 2);
  const [first = "", second = ""] = ids;
  const read = Promise.withResolvers<void>();
  let isHeld = false;
  // Holds the transaction that begins the second session's wake.
  const held = aroundWakes(store, async (raise, id) => {
    if (id === second && !isHeld) {
      isHeld = true;
      await read.promise;
    }
    return raise();
  });
  const engine = engineOver(held, clock, 1);
  const gates = new Map(ids.map((id) => [id, Promise.withResolvers<void>()]));
  const seen = new Recorder();
  await engine.start(seen.handler(({ sessionId }) => gates.get(sessionId)?.promise));
  await until(() => isHeld, { what: () => "the waiting session to be read" });
  gates.get(first)?.resolve();
  read.resolve();
  await seen.begun(2);
  // A second attempt to begin the wake has time: these transactions follow its reads and its transaction.
  for (let round = 0; round < 20; round += 1) await store.transaction((tx) => tx.runs.interrupted());
  gates.get(second)?.resolve();
  await seen.ended(2);
  await engine.stop(0);
});

test("a run stopped while it is being queued does not wait for a slot", async () => {
  const clock = new ManualClock();
  const { store, ids } = await waitingStore(clock, 2);
  const [parked = "", busy = ""] = ids;
  const seen = new Recorder();
  const stopping: Promise<void>[] = [];
  let isDecided = false;
  const stopped = aroundWakes(store, (raise, id) => {
    const isGoingOn = id === parked && isDecided && stopping.length === 0;
    if (isGoingOn) stopping.push(engine.cancel(parked, seen.runOf(`${parked}:a`), { by: "person", name: "@ana" }));
    return raise();
  });
  const engine = engineOver(stopped, clock, 1);
  const work = ({ sessionId, resumed }: Wake, context: TurnContext) =>
    sessionId === parked && !resumed ? Promise.resolve("parked") : aborted(context);
  await engine.start(seen.handler(work));
  await until(() => seen.wakes.at(-1)?.sessionId === busy, { what: () => "the other to have the place" });
  isDecided = true;
  await engine.deliver(parked, { key: "decided", body: { kind: "resume", of: "approval" } });
  await Promise.all(stopping);
  await seen.ended(1);
  expect(seen.keys()).toEqual([`${parked}:a`]);
  await engine.stop(0);
});
