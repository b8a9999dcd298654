import { expect, test } from "vitest";
import type { QuestionBody } from "../../../../src/core/store/run/questions.ts";
import type { Store } from "../../../../src/core/store/store.ts";
import { ANA, BEN, nativeSession } from "../../../support/native-session.ts";

/** Adds the session of a sub-agent of another session. */
async function addChild(store: Store, id: string, parentId: string): Promise<void> {
  const task = { agent: "explorer", description: "look", background: false, depth: 1 };
  const root = { sessionId: "ses_1", runId: "run_1" };
  const origin = { parentId, parentRunId: "run_1", parentCallId: id };
  const made = { settings: {}, createdBy: ANA.id, createdAt: 0 };
  await store.transaction((tx) => tx.children.create({ id, ...origin, task: { ...task, root }, ...made }));
}

function ask(store: Store, id: string, sessionId: string): Promise<void> {
  const body: QuestionBody = { kind: "question", question: "Which?", options: [] };
  return store.transaction((tx) => tx.questions.open({ id, sessionId, runId: "run_1", askedOf: ANA.id, body, at: 0 }));
}

test("a message answers the session's own question first, then those of sub-agents at any depth", async () => {
  const { store } = await nativeSession();
  await addChild(store, "child", "ses_1");
  await addChild(store, "grandchild", "child");
  await ask(store, "deep", "grandchild");
  expect((await store.questions.openIn("ses_1"))?.id).toBe("deep");
  await ask(store, "own", "ses_1");
  expect((await store.questions.openIn("ses_1"))?.id).toBe("own");
  await store.transaction((tx) => tx.questions.withdraw("own"));
  expect((await store.questions.openIn("ses_1"))?.id).toBe("deep");
});

test("a sub-agent inherits plan mode from its ancestors, but not an accepted plan", async () => {
  const { store } = await nativeSession();
  await addChild(store, "child", "ses_1");
  await addChild(store, "grandchild", "child");
  expect(await store.plans.of("grandchild")).toBeNull();
  await store.transaction((tx) => tx.plans.begin("ses_1"));
  expect(await store.plans.of("grandchild")).toEqual({ phase: "planning" });
  const steps = [{ text: "Step", mark: "open" as const }];
  await store.transaction((tx) => tx.plans.set("ses_1", { phase: "accepted", steps, acceptedBy: "@ana" }));
  expect(await store.plans.of("grandchild")).toBeNull();
});

test("a question is opened and answered once, and the person who answered is recorded", async () => {
  const { store } = await nativeSession();
  await ask(store, "q", "ses_1");
  await ask(store, "q", "ses_1");
  const answer = (text: string, by: typeof ANA) =>
    store.transaction((tx) => tx.questions.answer("q", { answer: { choice: null, text }, by, at: 1 }));
  expect(await Promise.all([answer("a", ANA), answer("b", BEN)])).toEqual([true, false]);
  expect(await store.transaction((tx) => tx.questions.withdraw("q"))).toBe(false);
  expect(await store.transaction((tx) => tx.questions.askOf("q", BEN.id))).toBe(false);
  expect(await store.questions.answerersOf("run_1")).toEqual([{ id: ANA.id, name: ANA.name, roles: [] }]);
  expect(await store.questions.ofRun("run_1")).toMatchObject([{ status: "answered" }]);
});
