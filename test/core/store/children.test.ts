import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ChildEvent } from "../../../src/core/sessions/child-event.ts";
import { beginKey } from "../../../src/core/sessions/child-event.ts";
import { beginChild, stopFamily } from "../../../src/core/sessions/children.ts";
import { EmbeddedEngine } from "../../../src/core/sessions/embedded-engine.ts";
import { releaseQueued } from "../../../src/core/sessions/executor-queue.ts";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { createSession, event } from "../../contracts/engine-recorder.ts";
import { startPostgres } from "../../support/postgres.ts";
import { silentLog } from "../../support/silent-log.ts";

const databases: readonly { name: string; open: () => Promise<Store> }[] = [
  {
    name: "SQLite",
    open: async () => {
      const directory = mkdtempSync(path.join(tmpdir(), "deckhand-children-"));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      return openStore(`file:${path.join(directory, "children.db")}`, systemRuntime());
    },
  },
  {
    name: "PostgreSQL",
    open: async () => {
      const postgres = await startPostgres();
      onTestFinished(() => postgres.stop());
      return openStore(await postgres.createDatabase(), systemRuntime());
    },
  },
];

const AT = 1_800_000_000_000;

/** A manager's run, and an engine that only stores. */
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
  const isHeld = (callId: string) => store.inbox.isHeld(beginKey(executor(sessionId, callId)));
  return { store, engine, sessionId, begin, isHeld };
}

function executor(sessionId: string, callId: string): ChildEvent {
  const root = { sessionId, runId: "run_1" };
  return {
    kind: "child",
    parent: { sessionId, runId: "run_1", callId },
    task: { agent: "executor", description: callId, background: true, depth: 1, root, among: 2 },
    prompt: "",
    author: { id: "slack:U1", name: "ana" },
    people: [],
    access: "full",
    mode: "agi",
    tools: [],
    grantedTools: [],
    maxTurns: 10,
    nonInteractive: false,
    job: null,
    at: AT,
  };
}

const CALLS = ["a", "b", "c", "d", "e", "f"];

describe.each(databases)("sub-agents on $name", ({ open }) => {
  test("however many ask for a place at once, no more than the limit get one, and a stop takes all back", async () => {
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

    await store.transaction((tx) => stopFamily(tx, { sessionId, runId: "run_1" }, "@ana"));
    const keys = CALLS.map((call) => beginKey(executor(sessionId, call)));
    expect(await Promise.all(keys.map((key) => store.inbox.isWaiting(key)))).toEqual(CALLS.map(() => false));
  });

  test("a begin and a stop that meet leave nothing at work", async () => {
    const { store, sessionId, begin } = await manager(open);
    const stop = () =>
      store.transaction(async (tx) => {
        await tx.runs.requestCancel("run_1", "@ana");
        await stopFamily(tx, { sessionId, runId: "run_1" }, "@ana");
      });
    const begun = await Promise.all([...CALLS.slice(0, 3).map(begin), stop(), ...CALLS.slice(3).map(begin)]);
    expect(begun).toHaveLength(7);
    const keys = CALLS.map((call) => beginKey(executor(sessionId, call)));
    expect(await Promise.all(keys.map((key) => store.inbox.isWaiting(key)))).toEqual(CALLS.map(() => false));
    expect(await begin("late")).toBe(false);
  });

  test("a line is the run with all that descends from it, over generations", async () => {
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
    expect([ofRun.sessionIds, ofSession.sessionIds]).toEqual([
      ["agt_a", "agt_below"],
      [sessionId, "agt_a", "agt_below"],
    ]);
    expect((await store.children.family(sessionId, "run_0")).ofRun.sessionIds).toEqual([]);
  });
});
