import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EmbeddedEngine } from "../../../src/core/sessions/embedded-engine.ts";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { createSession, Recorder, said } from "../../contracts/engine-recorder.ts";
import { until } from "../../support/bot.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { countingIds, seededRandom } from "../../support/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const SESSIONS = 60;
const PLACES = 4;
const CHANNELS = 6;

/** A database that a process left with an event waiting in each of many sessions. */
async function waitingStore(clock: ManualClock): Promise<{ store: Store; ids: readonly string[] }> {
  const runtime = { clock, ids: countingIds(), random: seededRandom(1) };
  const store = await openStore(`file:${path.join(tempDirectory(), "many.db")}`, runtime);
  onTestFinished(() => store.close());
  const ids: string[] = [];
  for (let number = 0; number < SESSIONS; number += 1) {
    const id = await createSession(store, `channel-${number % CHANNELS}`);
    const waiting = { event: said(`${id}:a`), wakes: true, resumes: false, dueAt: clock.now(), at: clock.now() };
    await store.transaction((tx) => tx.inbox.insert({ sessionId: id, ...waiting }));
    ids.push(id);
  }
  return { store, ids };
}

test("a start waits for none of the sessions that wait, all of which then run once, in turn", async () => {
  const clock = new ManualClock();
  const { store, ids } = await waitingStore(clock);
  const writes = { begun: 0 };
  const counted: Store = { ...store, transaction: (work) => ((writes.begun += 1), store.transaction(work)) };
  const runtime = { clock, ids: countingIds(), random: seededRandom(2) };
  const target = () => ({ find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) });
  const engine = new EmbeddedEngine({
    store: counted,
    runtime,
    log: silentLog,
    maxConcurrentRuns: PLACES,
    target,
  });
  const gate = Promise.withResolvers<void>();
  const seen = new Recorder();
  const handler = seen.handler(() => gate.promise);
  const told: string[] = [];
  await engine.start({
    ...handler,
    queued: (wake, context, before) => (told.push(wake.sessionId), handler.queued(wake, context, before)),
  });
  expect(writes.begun).toBeLessThanOrEqual(PLACES);
  expect(engine.load()).toEqual({ running: PLACES, waiting: SESSIONS - PLACES });

  // All who wait are begun, though they have no place yet, and are told how many are before them, together.
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
