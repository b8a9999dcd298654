import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { EmbeddedEngine } from "../../../../src/core/embedded-engine/embedded-engine.ts";
import type { ChildEvent } from "../../../../src/core/events/child-event.ts";
import { childStartKey } from "../../../../src/core/events/child-event.ts";
import { MAX_CHILDREN } from "../../../../src/core/events/child-task.ts";
import { openStore, type Store } from "../../../../src/core/store/store.ts";
import { beginChild, stopRun, withdrawWaiting } from "../../../../src/core/subagents/children.ts";
import { releaseQueued } from "../../../../src/core/subagents/queued-children.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { createSession, event } from "../../../contracts/engine-recorder.ts";
import { childEvent } from "../../../support/child-event.ts";
import { openFileStore } from "../../../support/database/empty-database.ts";
import { type Postgres, startPostgres } from "../../../support/database/postgres.ts";
import { silentLog } from "../../../support/silent-log.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const databases: readonly { name: string; open: () => Promise<Store> }[] = [
  {
    name: "SQLite",
    open: async () => {
      const directory = mkdtempSync(path.join(tmpdir(), "deckhand-children-"));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      return openFileStore(path.join(directory, "children.db"));
    },
  },
  {
    name: "PostgreSQL",
    open: async () => openStore(await postgres.createDatabase(), systemRuntime()),
  },
];

const AT = 1_800_000_000_000;

/** A manager's run, and an engine that only stores events. */
async function manager(open: () => Promise<Store>) {
  const store = await open();
  onTestFinished(() => store.close());
  const sessionId = await createSession(store);
  const target = () => ({ find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) });
  const engine = new EmbeddedEngine({ store, runtime: systemRuntime(), log: silentLog, maxConcurrentRuns: 8, target });
  await engine.deliver(sessionId, event(`${sessionId}:a`));
  const began = await store.inbox.byKey(`${sessionId}:a`);
  await store.transaction((tx) => tx.runs.begin({ id: "run_1", sessionId, eventSeq: began?.seq ?? 0, at: AT }));
  const deps = { store, engine, clock: systemRuntime().clock };
  const begin = (callId: string) =>
    beginChild({ id: `agt_${callId}`, settings: {} }, executor(sessionId, callId), deps);
  const isHeld = (callId: string) => store.inbox.isHeld(childStartKey(executor(sessionId, callId)));
  return { store, engine, sessionId, begin, isHeld };
}

function executor(sessionId: string, callId: string, runId = "run_1"): ChildEvent {
  return childEvent({ sessionId, runId, callId }, { task: { concurrencyLimit: 2 }, at: AT });
}

const CALLS = ["a", "b", "c", "d", "e", "f"];

describe.each(databases)("sub-agents on $name", ({ open }) => {
  test("concurrent requests get at most the limit of slots, and a stop releases all", async () => {
    const { store, engine, sessionId, begin, isHeld } = await manager(open);
    await Promise.all(
      CALLS.map(async (call) => {
        await begin(call);
        await releaseQueued(sessionId, { store, engine });
      }),
    );
    const held = await Promise.all(CALLS.map(isHeld));
    expect(held.filter((each) => !each)).toHaveLength(2);
    await Promise.all(CALLS.map(() => releaseQueued(sessionId, { store, engine })));
    expect((await Promise.all(CALLS.map(isHeld))).filter((each) => !each)).toHaveLength(2);

    await store.transaction((tx) => stopRun(tx, { sessionId, runId: "run_1" }, { by: "person", name: "@ana" }));
    const keys = CALLS.map((call) => childStartKey(executor(sessionId, call)));
    expect(await Promise.all(keys.map((key) => store.inbox.isWaiting(key)))).toEqual(CALLS.map(() => false));
  });

  test("slots released by a stop go to another run's queue, and stopping everything withdraws those too", async () => {
    const { store, engine, sessionId, begin } = await manager(open);
    for (const call of ["a", "b"]) await begin(call);
    await releaseQueued(sessionId, { store, engine });
    const deps = { store, engine, clock: systemRuntime().clock };
    await engine.deliver(sessionId, event(`${sessionId}:b`));
    const next = await store.inbox.byKey(`${sessionId}:b`);
    await store.transaction(async (tx) => {
      await tx.runs.end("run_1", { type: "max_turns", turns: 1 }, AT);
      await tx.runs.begin({ id: "run_2", sessionId, eventSeq: next?.seq ?? 0, at: AT });
    });
    const later = (callId: string) => executor(sessionId, callId, "run_2");
    const queued = ["c", "d", "e"];
    for (const call of queued) await beginChild({ id: `agt_${call}`, settings: {} }, later(call), deps);
    await releaseQueued(sessionId, { store, engine });
    const held = () => Promise.all(queued.map((call) => store.inbox.isHeld(childStartKey(later(call)))));
    expect(await held()).toEqual([true, true, true]);

    await engine.cancel(sessionId, "run_1", { by: "person", name: "@ana" });
    expect(await held()).toEqual([false, false, true]);
    expect(await store.inbox.has("child:agt_c:released")).toBe(true);

    expect([await withdrawWaiting(store, sessionId), await withdrawWaiting(store, sessionId)]).toEqual([true, false]);
    const waiting = await Promise.all(queued.map((call) => store.inbox.isWaiting(childStartKey(later(call)))));
    expect(waiting).toEqual([false, false, false]);
  });

  test("a concurrent start and stop leave nothing running", async () => {
    const { store, sessionId, begin } = await manager(open);
    const stop = () =>
      store.transaction((tx) => stopRun(tx, { sessionId, runId: "run_1" }, { by: "person", name: "@ana" }));
    const begun = await Promise.all([...CALLS.slice(0, 3).map(begin), stop(), ...CALLS.slice(3).map(begin)]);
    expect(
      begun
        .slice(0, 3)
        .concat(begun.slice(4))
        .every((each) => each === "begun" || each === "stopped"),
    ).toBe(true);
    const keys = CALLS.map((call) => childStartKey(executor(sessionId, call)));
    expect(await Promise.all(keys.map((key) => store.inbox.isWaiting(key)))).toEqual(CALLS.map(() => false));
    expect(await begin("late")).toBe("stopped");
  });

  test("a stop concurrent with a sub-agent's start ends or prevents its run", async () => {
    const { store, sessionId, begin } = await manager(open);
    for (const call of CALLS) await begin(call);
    const beginRun = (call: string) =>
      store.transaction(async (tx) => {
        const event = await tx.inbox.byKey(childStartKey(executor(sessionId, call)));
        if (event === null || (await tx.inbox.take([event.seq], `run_${call}`)) === 0) return;
        await tx.runs.begin({ id: `run_${call}`, sessionId: `agt_${call}`, eventSeq: event.seq, at: AT });
      });
    const stop = store.transaction((tx) => stopRun(tx, { sessionId, runId: "run_1" }, { by: "person", name: "@ana" }));
    await Promise.all([...CALLS.map(beginRun), stop]);
    const runs = await Promise.all(CALLS.map((call) => store.runs.get(`run_${call}`)));
    expect(runs.filter((run) => run !== null && run.cancelledBy === null)).toEqual([]);
  });

  test("a stop reaches a sub-agent that is started concurrently by another one", async () => {
    const { store, engine, sessionId, begin } = await manager(open);
    await begin("a");
    const event = await store.inbox.byKey(childStartKey(executor(sessionId, "a")));
    await store.transaction(async (tx) => {
      await tx.inbox.take([event?.seq ?? 0], "run_a");
      await tx.runs.begin({ id: "run_a", sessionId: "agt_a", eventSeq: event?.seq ?? 0, at: AT });
    });
    const grandchild = (callId: string) => {
      const { parent, ...rest } = executor(sessionId, callId);
      return { ...rest, parent: { ...parent, sessionId: "agt_a", runId: "run_a" } };
    };
    const deps = { store, engine, clock: systemRuntime().clock };
    const stop = store.transaction((tx) => stopRun(tx, { sessionId, runId: "run_1" }, { by: "person", name: "@ana" }));
    const calls = CALLS.map((call) => `below_${call}`);
    await Promise.all([
      ...calls.map((call) => beginChild({ id: `agt_${call}`, settings: {} }, grandchild(call), deps)),
      stop,
    ]);
    const waiting = await Promise.all(calls.map((call) => store.inbox.isWaiting(childStartKey(grandchild(call)))));
    expect(waiting).toEqual(calls.map(() => false));
  });

  test("concurrent requests start at most the limit of sub-agents per run", async () => {
    const { store, sessionId, begin } = await manager(open);
    const calls = Array.from({ length: MAX_CHILDREN + 3 }, (_, index) => `call_${index}`);
    const begun = await Promise.all(calls.map(begin));
    expect(begun.filter((each) => each === "too many")).toHaveLength(3);
    expect(await store.children.ofRun(sessionId, "run_1")).toHaveLength(MAX_CHILDREN);
  });

  test("the family of a run or session includes all its descendants", async () => {
    const { store, sessionId, begin } = await manager(open);
    await begin("a");
    const { task } = executor(sessionId, "a");
    const below = {
      id: "agt_below",
      parentId: "agt_a",
      parentRunId: "run_2",
      parentCallId: "call",
      task,
      createdAt: AT,
    };
    await store.transaction((tx) => tx.children.create({ ...below, settings: {}, createdBy: "slack:U1" }));
    const { ofRun, ofSession } = await store.children.family(sessionId, "run_1");
    expect([ofRun.children.map(({ id }) => id), ofSession.sessionIds]).toEqual([
      ["agt_a", "agt_below"],
      [sessionId, "agt_a", "agt_below"],
    ]);
    expect((await store.children.family(sessionId, "run_0")).ofRun.children).toEqual([]);
  });
});
