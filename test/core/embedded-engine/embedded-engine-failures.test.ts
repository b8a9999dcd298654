import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EmbeddedEngine } from "../../../src/core/embedded-engine/embedded-engine.ts";
import { ConnectionLost } from "../../../src/core/protocol/database-failure.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { createSession, event, Recorder } from "../../contracts/engine-recorder.ts";
import { aroundWakes } from "../../support/around-wakes.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { removeDirectory } from "../../support/remove-directory.ts";
import { silentLog } from "../../support/silent-log.ts";

let directory = "";
let store: Store;
let clock: ManualClock;

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "deckhand-engine-"));
  store = await openFileStore(path.join(directory, "engine.db"));
  clock = new ManualClock();
});

afterEach(async () => {
  await store.close();
  await removeDirectory(directory);
});

function sql(statement: string) {
  return new BetterSqlite3(path.join(directory, "engine.db")).prepare(statement);
}

/** A store on which the first `times` wakes fail, as if the database were briefly away. */
function failingWakes(times: number): Store {
  let left = times;
  return aroundWakes(store, (raise) => (left-- > 0 ? Promise.reject(new Error("the database is away")) : raise()));
}

function engineOn(database: Store): EmbeddedEngine {
  return new EmbeddedEngine({
    store: database,
    runtime: { ...systemRuntime(), clock },
    log: silentLog,
    maxConcurrentRuns: 4,
    target: () => ({ find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) }),
  });
}

test("an event stored while its session cannot be woken is handled later without another delivery", async () => {
  const id = await createSession(store);
  const seen = new Recorder();
  const engine = engineOn(failingWakes(2));
  await engine.start(seen.handler());
  expect(await engine.deliver(id, event(`${id}:a`))).toBe("new");
  expect(await engine.deliver(id, event(`${id}:a`))).toBe("duplicate");
  await clock.advance(5_000);
  expect(seen.begunKeys()).toEqual([]);
  await clock.advance(10_000);
  await seen.ended(1);
  expect(seen.keys()).toEqual([`${id}:a`]);
  await engine.stop(0);
});

test("a session that cannot be woken does not block other sessions", async () => {
  const [one, two] = [await createSession(store), await createSession(store)];
  const before = engineOn(store);
  await before.deliver(one, event(`${one}:a`));
  await before.deliver(two, event(`${two}:a`));
  const seen = new Recorder();
  const engine = engineOn(failingWakes(1));
  await engine.start(seen.handler());
  await seen.ended(1);
  expect(seen.keys()).toEqual([`${two}:a`]);
  await engine.stop(0);
});

test.each([
  { what: "people", change: `UPDATE "Session" SET "people" = 'null' WHERE "id" = ?`, ends: 1 },
  { what: "thread", change: `UPDATE "Session" SET "thread" = '{' WHERE "id" = ?`, ends: 1 },
  { what: "event", change: `UPDATE "InboxEvent" SET "body" = '{' WHERE "sessionId" = ?`, ends: 1 },
  { what: "stop", change: `UPDATE "Run" SET "cancelledBy" = '{"by":"newer"}' WHERE "sessionId" = ?`, ends: 2 },
])("a session with an unreadable $what blocks no other session and no listing", async ({ change, ends }) => {
  const [odd, other] = [await createSession(store), await createSession(store)];
  for (const id of [odd, other]) await engineOn(store).deliver(id, event(`${id}:a`));
  const { seq = 0 } = (await store.inbox.byKey(`${odd}:a`)) ?? {};
  await store.transaction(async (tx) => {
    await tx.sessions.raiseEpoch(odd);
    await tx.runs.begin({ id: "run_odd", sessionId: odd, eventSeq: seq, at: 0 });
  });
  sql(change).run(odd);
  const seen = new Recorder();
  const engine = engineOn(store);
  await engine.start(seen.handler());
  await seen.ended(ends);
  expect(seen.keys()).toContain(`${other}:a`);
  await engine.stop(0);
  const threadIds = (await store.sessions.recentThreads("slack", 9)).map(({ threadId }) => threadId);
  expect(threadIds).toContain((await store.sessions.get(other)).thread.threadId);
  expect((await store.runs.busySessions()).map(({ sessionId }) => sessionId)).not.toContain(other);
});

test.each([
  { what: "a session that a newer version has had", change: `UPDATE "Session" SET "format" = "format" + 1` },
  {
    what: "an event of a kind that only a newer version knows",
    change: `UPDATE "InboxEvent" SET "body" = '{"kind":"x"}'`,
  },
])("$what is not run, and is retried every second", async ({ change }) => {
  const id = await createSession(store);
  const seen = new Recorder();
  await engineOn(store).deliver(id, event(`${id}:a`));
  const [body] = sql('SELECT "body" FROM "InboxEvent"').all();
  sql(change).run();
  const before = sql('SELECT * FROM "Session", "InboxEvent"').all();
  const engine = engineOn(store);
  await engine.start(seen.handler());
  await clock.advance(10_000);
  expect(seen.begunKeys()).toEqual([]);
  expect(sql('SELECT * FROM "Session", "InboxEvent"').all()).toEqual(before);
  sql('UPDATE "InboxEvent" SET "body" = ?').run(Object.values(Object(body)));
  sql('UPDATE "Session" SET "format" = 1').run();
  await clock.advance(1_000);
  await seen.ended(1);
  await engine.stop(0);
});

test("stop cancels every timer, so that none keeps the process alive", async () => {
  const id = await createSession(store);
  const engine = engineOn(failingWakes(1));
  await engine.start(new Recorder().handler());
  await engine.deliver(id, event(`${id}:a`));
  await engine.deliverAt(id, event(`${id}:b`), clock.now() + 60_000);
  expect(clock.pending).toBe(2);
  await engine.stop(0);
  expect(clock.pending).toBe(0);
});

test("an event that fell due during sleep or a clock change is handled within a minute", async () => {
  const id = await createSession(store);
  const seen = new Recorder();
  const engine = engineOn(store);
  await engine.start(seen.handler());
  const day = 24 * 60 * 60_000;
  await engine.deliverAt(id, event(`${id}:a`), clock.now() + day);
  await clock.advance(1_000);
  clock.set(clock.now() + day);
  await clock.advance(60_000);
  await seen.ended(1);
  expect(seen.keys()).toEqual([`${id}:a`]);
  await engine.stop(0);
});

test("an event that falls due after the clock was set back is handled on time", async () => {
  const id = await createSession(store);
  const seen = new Recorder();
  const engine = engineOn(store);
  const hour = 60 * 60_000;
  await engine.start(seen.handler());
  clock.set(clock.now() - hour);
  await engine.deliverAt(id, event(`${id}:a`), clock.now() + 30_000);
  await clock.advance(30_000);
  await seen.ended(1);
  expect(seen.keys()).toEqual([`${id}:a`]);
  await engine.stop(0);
});

test("a delivered event is handled at once, even by a process whose clock is behind that of the storing one", async () => {
  const id = await createSession(store);
  await engineOn(store).deliver(id, event(`${id}:a`));
  clock.set(clock.now() - 1_000);
  const seen = new Recorder();
  const engine = engineOn(store);
  await engine.start(seen.handler());
  await seen.ended(1);
  expect(seen.keys()).toEqual([`${id}:a`]);
  await engine.stop(0);
});

test("concurrent requests to wake later schedule a single check, also if reading one due time fails", async () => {
  const id = await createSession(store);
  let isAway = false;
  const nextDue: Store["inbox"]["nextDue"] = (at) =>
    isAway ? Promise.reject(new Error("away")) : store.inbox.nextDue(at);
  const engine = engineOn({ ...store, inbox: { ...store.inbox, nextDue } });
  await engine.start(new Recorder().handler());
  await Promise.all([1, 2, 3].map((n) => engine.deliverAt(id, event(`${id}:${n}`), clock.now() + 1_000 * n)));
  expect(clock.pending).toBe(1);
  isAway = true;
  await expect(engine.deliverAt(id, event(`${id}:4`), clock.now() + 500)).rejects.toThrow("away");
  expect(clock.pending).toBe(1);
  await engine.stop(0);
});

test("an event stored as already due during a check of due events is handled", async () => {
  const id = await createSession(store);
  let isStored = false;
  const sessionsToWake: Store["inbox"]["sessionsToWake"] = async (at) => {
    const due = await store.inbox.sessionsToWake(at);
    if (!isStored) expect(await engine.deliverAt(id, event(`${id}:a`), clock.now())).toBe("new");
    isStored = true;
    return due;
  };
  const seen = new Recorder();
  const engine = engineOn({ ...store, inbox: { ...store.inbox, sessionsToWake } });
  await engine.start(seen.handler());
  await clock.advance(0);
  await seen.ended(1);
  expect(seen.keys()).toEqual([`${id}:a`]);
  await engine.stop(0);
});

/** A store that commits its first transaction but reports a failure; if `isAway`, the next look-up fails as well. */
function silentOnce(isAway: boolean): Store {
  let left = 1;
  let looks = isAway ? 1 : 0;
  const gone = () => new ConnectionLost("Connection terminated unexpectedly");
  const byKey: Store["inbox"]["byKey"] = (key) => (looks-- > 0 ? Promise.reject(gone()) : store.inbox.byKey(key));
  return {
    ...store,
    inbox: { ...store.inbox, byKey },
    async transaction(work) {
      const value = await store.transaction(work);
      if (left-- > 0) throw gone();
      return value;
    },
  };
}

test("an event is handled whose commit succeeded although the confirmation was lost", async () => {
  const id = await createSession(store);
  const seen = new Recorder();
  const engine = engineOn(silentOnce(false));
  await engine.start(seen.handler());
  expect(await engine.deliver(id, event(`${id}:a`))).toBe("new");
  await seen.ended(1);
  expect(await engine.deliver(id, event(`${id}:a`))).toBe("duplicate");
  expect(seen.keys()).toEqual([`${id}:a`]);
  await engine.stop(0);
});

test("after a database outage an event that may have been stored is looked up", async () => {
  const id = await createSession(store);
  const seen = new Recorder();
  const engine = engineOn(silentOnce(true));
  await engine.start(seen.handler());
  await expect(engine.deliver(id, event(`${id}:a`))).rejects.toThrow(ConnectionLost);
  expect(await engine.deliver(id, event(`${id}:a`))).toBe("duplicate");
  await clock.advance(5_000);
  await seen.ended(1);
  expect(seen.keys()).toEqual([`${id}:a`]);
  await engine.stop(0);
});

test("a session that was never created is not woken repeatedly", async () => {
  const engine = engineOn({ ...store, transaction: () => Promise.reject(new ConnectionLost("gone")) });
  await engine.start(new Recorder().handler());
  await expect(engine.deliver("ses_never", event("never:a"))).rejects.toThrow(ConnectionLost);
  expect(clock.pending).toBe(1);
  await clock.runAll();
  expect(clock.pending).toBe(0);
  await engine.stop(0);
});
