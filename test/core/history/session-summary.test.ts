import { expect, test } from "vitest";
import { stateOf } from "../../../src/core/history/session-state.ts";
import { createSummaries, type Summaries } from "../../../src/core/history/session-summary.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { NO_USAGE } from "../../../src/core/protocol/usage.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { commandServices, USUAL_MODEL } from "../../support/command-services.ts";
import { ANA, nativeSession, THREAD } from "../../support/native-session.ts";

const OWN = { id: "run_1", sessionId: "ses_1" };
const CHILDS = { id: "run_2", sessionId: "child" };

const ASKED = { id: "run_1:c1", sessionId: OWN.sessionId, runId: OWN.id, askedOf: ANA.id };

async function summaries(): Promise<{ store: Store; summaries: Summaries }> {
  const { store } = await nativeSession();
  const { models, configOf } = commandServices();
  return { store, summaries: createSummaries({ store, models, configOf, tools: () => [] }) };
}

/** Adds a sub-agent that works for the session's run. */
async function addChild(store: Store): Promise<void> {
  const task = { agent: "explorer", description: "look", background: false, depth: 1 };
  const root = { sessionId: OWN.sessionId, runId: OWN.id };
  const origin = { parentId: OWN.sessionId, parentRunId: OWN.id, parentCallId: "c9" };
  await store.transaction(async (tx) => {
    await tx.children.create({
      id: "child",
      ...origin,
      task: { ...task, root },
      settings: {},
      createdBy: ANA.id,
      createdAt: 0,
    });
    await tx.runs.begin({ id: CHILDS.id, sessionId: "child", eventSeq: 4_711, at: 0 });
  });
}

interface Done {
  readonly run: typeof OWN;
  readonly id: string;
  readonly path: string;
  readonly sha256?: string | null;
}

/** Records a call that has written or deleted a file. */
async function changes(store: Store, { run, id, path, sha256 = "b".repeat(64) }: Done): Promise<void> {
  const before = "a".repeat(64);
  const result = textResult(`Changed ${path}.`, { files: [{ path, sha256, action: "wrote", before }] });
  const origin = { provider: "demo", model: "scripted" };
  await store.transaction(async (tx) => {
    await tx.toolCalls.add(run, 1, [{ type: "tool_use", id, name: "write", input: { path }, origin }]);
    await tx.toolCalls.ended(run.id, id, { result, durationMs: 12.4, at: 1 });
  });
}

async function spends(store: Store, run: typeof OWN, costUsd: number | null): Promise<void> {
  const call = { runId: run.id, turn: 1, sessionId: run.sessionId, personId: ANA.id, channelId: "slack:C1" };
  const usage = { ...NO_USAGE, inputTokens: 40_000, outputTokens: 2_000 };
  await store.transaction((tx) =>
    tx.usage.add({ ...call, model: USUAL_MODEL, stopReason: "tool_use", usage, costUsd, at: 1 }),
  );
}

function asks(store: Store, sessionId: string): Promise<void> {
  const call = { callId: "c1", tool: "write", input: "{}", grant: { key: "k", label: "l" }, title: "write `a.txt`" };
  const refused = { ...call, callId: "c2", title: "write `b.txt`", refused: "It cannot be written." };
  const people = { requester: { id: ANA.id, name: ANA.name }, others: [], mayRemember: true };
  const row = { sessionId, runId: "run_2", turn: 1, calls: [call, refused], people, expiresAt: 9, createdAt: 0 };
  return store.transaction((tx) => tx.approvals.create({ id: "run_2:1", ...row }));
}

test("a thread without a session has no summary, a new session a short one", async () => {
  const { summaries: all } = await summaries();
  expect(await all.of({ ...THREAD, threadId: "other" })).toBeNull();
  expect(await all.of(THREAD)).toEqual({
    agent: "build",
    mode: "write",
    model: USUAL_MODEL,
    steps: [],
    files: [],
    context: null,
    costUsd: 0,
    waiting: [],
    grants: [],
  });
});

test("steps, files and cost include those of sub-agents", async () => {
  const { store, summaries: all } = await summaries();
  await addChild(store);
  await changes(store, { run: OWN, id: "c1", path: "a.txt" });
  await changes(store, { run: CHILDS, id: "c1", path: "b.txt", sha256: null });
  await spends(store, OWN, 0.25);
  await spends(store, CHILDS, 0.5);
  const summary = await all.of(THREAD);
  expect(summary).toMatchObject({ costUsd: 0.75, context: { tokens: 42_000, window: 200_000 } });
  expect(summary?.files.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
    { path: "a.txt", isGone: false },
    { path: "b.txt", isGone: true },
  ]);
  expect(summary?.steps).toMatchObject([
    { agent: null, tool: "write", state: "done", result: "Changed a.txt.", durationMs: 12 },
    { agent: "explorer", tool: "write", state: "done", result: "Changed b.txt." },
  ]);
});

test("a call without a result is waiting while its run asks people, and working otherwise", async () => {
  const { store, summaries: all } = await summaries();
  const states = async () => (await all.of(THREAD))?.steps.map(({ state }) => state);
  const calls = ["c1", "c2"].map((id) => ({ type: "tool_use", id, name: "ask_user_question", input: {} }) as const);
  await store.transaction((tx) => tx.toolCalls.add(OWN, 1, calls));
  await store.transaction((tx) => tx.toolCalls.begun(OWN.id, "c1", 1));
  expect(await states()).toEqual(["working", "working"]);
  const body = { kind: "question" as const, question: "Which port?", options: [] };
  await store.transaction((tx) => tx.questions.open({ ...ASKED, body, at: 1 }));
  expect(await states()).toEqual(["waiting", "waiting"]);
  await store.transaction((tx) => tx.questions.withdraw(ASKED.id));
  expect(await states()).toEqual(["working", "working"]);
});

test("the cost is unknown only if no call has a known price", async () => {
  const { store, summaries: all } = await summaries();
  await spends(store, OWN, null);
  expect((await all.of(THREAD))?.costUsd).toBeNull();
  await addChild(store);
  await spends(store, CHILDS, 0.5);
  expect((await all.of(THREAD))?.costUsd).toBe(0.5);
});

test("a sub-agent's question makes its thread wait; calls that need no approval do not", async () => {
  const { store, summaries: all } = await summaries();
  await addChild(store);
  expect(await all.busyThreads("slack")).toEqual(new Map([["1", "working"]]));
  expect(await all.busyThreads("web")).toEqual(new Map());
  await asks(store, "child");
  expect(await all.busyThreads("slack")).toEqual(new Map([["1", "waiting"]]));
  expect((await all.of(THREAD))?.waiting).toEqual([
    { kind: "approval", id: "run_2:1", title: "write `a.txt`", expiresAt: 9 },
  ]);
  const decision = { status: "denied", scope: null, decidedBy: "@ana", at: 1 } as const;
  await store.transaction((tx) => tx.approvals.decide("run_2:1", decision));
  expect(await all.busyThreads("slack")).toEqual(new Map([["1", "working"]]));
  expect((await all.of(THREAD))?.waiting).toEqual([]);
});

test("a session is working while its sub-agents work, and waiting when one of them asks people", async () => {
  const { store } = await summaries();
  await addChild(store);
  const works = { type: "works", turns: 0, subAgents: 1 };
  expect(await stateOf(store, OWN.sessionId)).toEqual(works);
  await asks(store, "child");
  expect(await stateOf(store, OWN.sessionId)).toMatchObject({ type: "asks", asks: [{ title: "write `a.txt`" }] });
  const decision = { status: "denied", scope: null, decidedBy: "@ana", at: 1 } as const;
  await store.transaction((tx) => tx.approvals.decide("run_2:1", decision));
  await store.transaction((tx) => tx.runs.end(OWN.id, { type: "cancelled", cause: { by: "person", name: "@ana" } }, 1));
  expect(await stateOf(store, OWN.sessionId)).toEqual({ ...works, turns: null });
  await store.transaction((tx) =>
    tx.runs.end(CHILDS.id, { type: "cancelled", cause: { by: "person", name: "@ana" } }, 1),
  );
  expect(await stateOf(store, OWN.sessionId)).toEqual({ type: "idle" });
});

test("active grants are described with their scope", async () => {
  const { store, summaries: all } = await summaries();
  const grant = { channelId: "slack:C1", personId: ANA.id, grantedBy: "@ana" };
  await store.transaction(async (tx) => {
    await tx.grants.add({ ...grant, id: "g1", sessionId: "ses_1", key: "write:a", label: "changing a", createdAt: 1 });
    await tx.grants.add({ ...grant, id: "g2", sessionId: null, key: "bash:make", label: "this command", createdAt: 2 });
    await tx.grants.add({ ...grant, id: "g3", sessionId: "ses_9", key: "write:b", label: "changing b", createdAt: 3 });
    await tx.grants.add({ ...grant, id: "g4", sessionId: null, key: "write:c", label: "changing c", createdAt: 4 });
    await tx.grants.revoke("g4", 5);
  });
  expect((await all.of(THREAD))?.grants).toEqual([
    { id: "g1", what: "changing a", scope: "session", grantedBy: "@ana" },
    { id: "g2", what: "this command `make`", scope: "always", grantedBy: "@ana" },
  ]);
});
