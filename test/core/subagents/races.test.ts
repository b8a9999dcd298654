import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { EmbeddedEngine } from "../../../src/core/embedded-engine/embedded-engine.ts";
import { switchAgent } from "../../../src/core/history/agent-switch.ts";
import { forkSession } from "../../../src/core/history/fork.ts";
import { beginNewSession } from "../../../src/core/history/new-session.ts";
import { continueRun } from "../../../src/core/inbound/continue-run.ts";
import type { SessionRow } from "../../../src/core/store/sessions.ts";
import { openStore, type Store, type StoreTransaction } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { aborted, createSession, event, Recorder } from "../../contracts/engine-recorder.ts";
import { childEvent } from "../../support/child-event.ts";
import { interleaved } from "../../support/database/interleaved-store.ts";
import { type Postgres, startOwnPostgres } from "../../support/database/postgres.ts";
import { besideOn } from "../../support/program/beside.ts";
import { silentLog } from "../../support/silent-log.ts";
import { click } from "../inbound/intake-fixture.ts";

const AT = 1_800_000_000_000;

/** PostgreSQL runs transactions concurrently, while SQLite runs them one after the other. */
let postgres: Postgres;
let url: string;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  url = await postgres.createDatabase();
});
afterAll(() => postgres.stop());

/** A session; in the transaction of `within`, its run begins concurrently after `afterStatements` statements. */
async function aboutToWork(afterStatements: number) {
  const store = await openStore(url, systemRuntime());
  onTestFinished(() => store.close());
  const beside = await besideOn(url);
  const sessionId = await createSession(store, `C${afterStatements}${systemRuntime().ids.next("c")}`);
  const beginning: Promise<SessionRow>[] = [];
  const begin = async () => {
    if (beginning.length > 0) return;
    beginning.push(beginRun(store, sessionId));
    await beside(Promise.all(beginning));
  };
  const within = async <T>(work: (tx: StoreTransaction) => Promise<T>) => {
    const result = await store.transaction((tx) => work(interleaved(tx, afterStatements, begin)));
    return { result, began: await beginning[0] };
  };
  return { store, sessionId, within };
}

/** Begins a run of the session, and returns the session as that run reads it. */
async function beginRun(store: Store, sessionId: string): Promise<SessionRow> {
  const runId = `run_${sessionId}`;
  const delivery = { sessionId, event: event(sessionId), wakes: true, resumes: false, dueAt: AT, at: AT };
  const session = await store.transaction(async (tx) => {
    await tx.sessions.raiseEpoch(sessionId);
    const { seq } = await tx.inbox.insert(delivery);
    await tx.inbox.take([seq], runId);
    await tx.runs.begin({ id: runId, sessionId, eventSeq: seq, at: AT });
    return tx.sessions.get(sessionId);
  });
  const content = [{ type: "text" as const, text: "Half a run." }];
  await store.transaction((tx) =>
    tx.messages.append(sessionId, runId, { id: runId, role: "user", content, createdAt: AT }),
  );
  return session;
}

const NO_PLATFORM = { find: () => Promise.resolve(null), post: () => Promise.reject(new Error("no platform")) };

async function endedRun(store: Store, { sessionId, verb }: { sessionId: string; verb: string }): Promise<string> {
  const runId = `${sessionId}-${verb}`;
  const delivery = { sessionId, event: event(runId), wakes: true, resumes: false, dueAt: AT, at: AT };
  await store.transaction(async (tx) => {
    const { seq } = await tx.inbox.insert(delivery);
    await tx.inbox.take([seq], runId);
    await tx.runs.begin({ id: runId, sessionId, eventSeq: seq, at: AT });
    await tx.runs.end(runId, { type: "max_turns", turns: 1 }, AT);
  });
  return runId;
}

test.each([1, 2, 3])("a run that starts after %i statements of an agent switch keeps its agent", async (statements) => {
  const { store, sessionId, within } = await aboutToWork(statements);
  const { began } = await within((tx) => switchAgent(tx, { sessionId, agent: "plan", at: AT }));
  expect((await store.sessions.get(sessionId)).agent).toBe(began?.agent);
});

test.each([1, 2, 3])("a run that starts after %i statements of a fork is not copied partially", async (statements) => {
  const { store, sessionId, within } = await aboutToWork(statements);
  const from = await store.sessions.get(sessionId);
  const thread = { ...from.thread, threadId: `${sessionId}-fork` };
  const { result } = await within((tx) => forkSession(tx, { from, thread, createdBy: "slack:U1" }, systemRuntime()));
  expect(result).toBe(0);
});

test.each([1, 2, 3])("a run that starts after %i statements of /new keeps its thread", async (statements) => {
  const { store, sessionId, within } = await aboutToWork(statements);
  const session = await store.sessions.get(sessionId);
  const fresh = { id: `${sessionId}-fresh`, createdBy: "slack:U1", at: AT };
  const { began } = await within((tx) => beginNewSession(tx, session, fresh));
  expect((await store.sessions.get(sessionId)).key).toBe(began?.key);
});

test("of two ended runs that are continued concurrently, only one continues", async () => {
  const { store, sessionId } = await aboutToWork(1);
  const runtime = systemRuntime();
  const engine = new EmbeddedEngine({
    store,
    runtime,
    log: silentLog,
    maxConcurrentRuns: 1,
    target: () => NO_PLATFORM,
  });
  const buttons = [];
  for (const verb of ["continue", "retry"])
    buttons.push({ verb, id: await endedRun(store, { sessionId, verb }), text: "Go on." });
  const clicks = buttons.map((button) =>
    continueRun(click(`${button.verb}:${button.id}`), button, { store, engine, runtime }),
  );
  const receipts = await Promise.all(clicks);
  expect(new Set(receipts.map((receipt) => receipt?.type))).toEqual(new Set(["accepted", "reply"]));
});

test("a session with a pending run keeps its thread", async () => {
  const { store, sessionId } = await aboutToWork(1);
  const session = await store.sessions.get(sessionId);
  const delivery = { sessionId, event: event(sessionId), wakes: true, resumes: false, dueAt: AT, at: AT };
  await store.transaction((tx) => tx.inbox.insert(delivery));
  const fresh = { id: `${sessionId}-fresh`, createdBy: "slack:U1", at: AT };
  expect(await store.transaction((tx) => beginNewSession(tx, session, fresh))).toBe(false);
  expect(await store.sessions.byKey(session.key)).toMatchObject({ id: sessionId });
});

async function openRun(store: Store, sessionId: string, status: "running" | "parked"): Promise<string> {
  const runId = `run_${sessionId}`;
  const delivery = { sessionId, event: event(runId), wakes: true, resumes: false, dueAt: AT, at: AT };
  await store.transaction(async (tx) => {
    await tx.sessions.raiseEpoch(sessionId);
    const { seq } = await tx.inbox.insert(delivery);
    await tx.inbox.take([seq], runId);
    await tx.runs.begin({ id: runId, sessionId, eventSeq: seq, at: AT });
    await tx.runs.setStatus(runId, status);
  });
  return runId;
}

test("a sub-agent that resumes while its parent is stopped stops as well", async () => {
  // An engine resumes every open run of its database, so this test needs a database of its own.
  const own = await postgres.createDatabase();
  const store = await openStore(own, systemRuntime());
  onTestFinished(() => store.close());
  const beside = await besideOn(own);
  const sessionId = await createSession(store);
  const runId = await openRun(store, sessionId, "parked");
  const { task } = childEvent({ sessionId, runId, callId: "call" }, { task: {}, at: AT });
  const child = { id: `${sessionId}-child`, parentId: sessionId, parentRunId: runId, parentCallId: "call" };
  await store.transaction((tx) =>
    tx.children.create({ ...child, task, settings: {}, createdBy: "slack:U1", createdAt: AT }),
  );
  await openRun(store, child.id, "running");
  let isFirst = true;
  // Stops the parent while the sub-agent's wake has read its run and inbox but not committed yet.
  const stop = () => beside(engine.cancel(sessionId, runId, { by: "person", name: "@ana" }));
  const stopping: Store = {
    ...store,
    transaction: (work) => {
      const isWake = isFirst;
      isFirst = false;
      return store.transaction((tx) => work(isWake ? interleaved(tx, 3, stop) : tx));
    },
  };
  const runtime = systemRuntime();
  const options = { store: stopping, runtime, log: silentLog, maxConcurrentRuns: 2, target: () => NO_PLATFORM };
  const engine = new EmbeddedEngine(options);
  const seen = new Recorder();
  await engine.start(seen.handler((_wake, context) => aborted(context)));
  await seen.ended(2);
  expect([...seen.reasons.values()]).toMatchObject([{ cause: { name: "@ana" } }, { cause: { name: "@ana" } }]);
  await engine.stop(0);
});
