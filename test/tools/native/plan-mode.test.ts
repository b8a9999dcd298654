import { expect, test } from "vitest";
import { planSection } from "../../../src/core/context/plan-section.ts";
import { answerByClick, answerByMessage, withdrawQuestions } from "../../../src/core/people/questions.ts";
import { peopleOfRun } from "../../../src/core/people/run-people.ts";
import { planRefusal } from "../../../src/core/permissions/plan-mode.ts";
import { DefectError } from "../../../src/core/protocol/errors.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { createEnterPlanMode, createExitPlanMode } from "../../../src/tools/native/plan-mode.ts";
import { createUpdatePlan } from "../../../src/tools/native/update-plan.ts";
import { interleaved } from "../../support/database/interleaved-store.ts";
import { BEN, CHIEF, click, message, nativeSession } from "../../support/native-session.ts";

const PLAN = { intro: "Moves the service.", steps: ["Change the port", "Restart the service"] };
const ID = "run_1:call_1";
const WRITE = { name: "write", permission: "write" } as const;

/** A session in plan mode whose plan waits for a decision. */
async function proposed(input: object = PLAN) {
  const session = await nativeSession();
  await session.callTool(createEnterPlanMode(session.deps), {});
  const exit = createExitPlanMode(session.deps);
  const propose = () => session.callTool(exit, input);
  expect(await propose()).toBeNull();
  const plan = () => session.store.plans.of("ses_1");
  const decide = (choice: string, by = undefined as typeof BEN | undefined) =>
    answerByClick(click(`answer:${choice}:${ID}`, by), { choice, id: ID }, session.options);
  return { ...session, propose, plan, decide };
}

test("a plan whose format the platform refuses is posted as plain text with its buttons", async () => {
  const session = await nativeSession();
  session.thread.refuses = ({ markdown }) => (markdown.includes("```") ? null : new DefectError("50035"));
  expect(await session.callTool(createExitPlanMode(session.deps), PLAN)).toBeNull();
  const card = session.thread.posts.get("question:call_1");
  expect(card?.markdown).toContain("```\nMoves the service.\n\n");
  expect(card?.buttons.map(({ label }) => label)).toEqual(["Go ahead", "Change it", "Drop it"]);
});

test("plan mode refuses calls that change or run something until the plan is accepted", async () => {
  const session = await proposed();
  const verdicts = async () => {
    const plan = await session.plan();
    return (["none", "read", "write", "execute"] as const).map(
      (permission) => planRefusal(plan, { name: "t", permission }) !== null,
    );
  };
  expect(await verdicts()).toEqual([false, false, true, true]);
  await session.decide("go");
  expect(await verdicts()).toEqual([false, false, false, false]);
});

test("plan mode applies from the very call that starts it", () => {
  expect(planRefusal(null, WRITE, ["write"])).toBeNull();
  expect(planRefusal(null, WRITE, ["enter_plan_mode", "write"])).toContain("plan mode is on");
});

test("the plan is posted as a checklist with its three buttons", async () => {
  const session = await proposed();
  expect(session.thread.posts.get("question:call_1")).toMatchObject({
    markdown: "⏸ **The plan**\n\n> Moves the service.\n\n☐ 1. Change the port\n☐ 2. Restart the service",
    buttons: [{ label: "Go ahead" }, { label: "Change it" }, { label: "Drop it" }],
    files: [],
  });
});

test("an accepted plan stays in the prompt with its progress until it is done", async () => {
  const session = await proposed();
  expect(planSection(await session.plan())).toContain("Plan mode is on");
  expect(await session.decide("go")).toEqual({ type: "accepted" });
  expect(planSection(await session.plan())).toContain("accepted by @ana");
  expect(textOf((await session.propose())?.content ?? [])).toContain("ana accepted the plan");

  const update = createUpdatePlan(session.deps);
  await session.callTool(update, {
    steps: [
      { step: 1, mark: "done" },
      { step: 2, mark: "doing" },
    ],
  });
  const marked = "✓ 1. Change the port\n⏳ 2. Restart the service";
  expect(planSection(await session.plan())).toContain(marked);
  expect(session.plans.at(-1)).toEqual([
    { text: "Change the port", mark: "done" },
    { text: "Restart the service", mark: "doing" },
  ]);
  await session.callTool(update, { steps: [{ step: 2, mark: "done" }] });
  expect(planSection(await session.plan())).toBe("");
});

test("the person who was asked may still decide after an approver clicked Change", async () => {
  const session = await proposed();
  await session.decide("change", CHIEF);
  expect(await session.decide("go")).toEqual({ type: "accepted" });
  expect(await session.plan()).toMatchObject({ phase: "accepted", acceptedBy: "@ana" });
});

test("an approver who requests changes need not mention the agent in the next message", async () => {
  const session = await proposed();
  await session.decide("change", CHIEF);
  expect((await session.store.sessions.get("ses_1")).people).toContain(CHIEF.id);
});

test("a person who requests changes counts as an author of the run from then on", async () => {
  const session = await proposed();
  const others = async () => (await peopleOfRun(session.store, "run_1")).others.map(({ name }) => name);
  await session.decide("change", CHIEF);
  expect(await others()).toEqual([]);
  await answerByMessage(message("one by one", { person: CHIEF }), session.session, session.options);
  expect(await others()).toEqual([CHIEF.name]);
});

test("a dropped plan ends plan mode and leaves nothing behind", async () => {
  const session = await proposed();
  await session.decide("drop");
  expect(textOf((await session.propose())?.content ?? [])).toContain("ana dropped the plan");
  expect(await session.plan()).toBeNull();
  expect(session.thread.edits.at(-1)?.markdown).toContain("✗ Dropped — @ana");
});

test.each([
  { said: "Go ahead!", becomes: "accepted the plan", phase: "accepted" },
  { said: "drop it", becomes: "dropped the plan", phase: undefined },
  { said: "keep the old port, too", becomes: "wants the plan changed: keep the old port, too", phase: "planning" },
])("the reply “$said” counts as a decision", async ({ said, becomes, phase }) => {
  const session = await proposed();
  expect(await answerByMessage(message(said), session.session, session.options)).toBe(true);
  expect(textOf((await session.propose())?.content ?? [])).toContain(becomes);
  expect((await session.plan())?.phase).toBe(phase);
});

test("after a request for changes the person's next message states them, and the plan stays open until then", async () => {
  const session = await proposed();
  expect(await session.decide("change", CHIEF)).toMatchObject({ type: "reply" });
  expect(await session.propose()).toBeNull();
  expect(await answerByMessage(message("no"), session.session, session.options)).toBe(false);
  const wish = message("one step at a time", { person: CHIEF });
  expect(await answerByMessage(wish, session.session, session.options)).toBe(true);
  expect(textOf((await session.propose())?.content ?? [])).toContain(
    "chief wants the plan changed: one step at a time",
  );
});

test("a person without the right cannot accept a plan", async () => {
  const session = await proposed();
  expect(await session.decide("go", BEN)).toMatchObject({ type: "reply" });
  expect((await session.plan())?.phase).toBe("planning");
});

test("a stop ends plan mode with the plan", async () => {
  const session = await proposed();
  const { store, thread } = session;
  await withdrawQuestions({ store, thread, runId: "run_1", sessionId: "ses_1" }, "@ana");
  expect(await session.plan()).toBeNull();
  expect(thread.edits.at(-1)).toMatchObject({ markdown: "**The plan**\n⏹ Stopped by @ana.", buttons: [] });
});

test.each([1, 2, 3])("a plan that is accepted after %i queries of a concurrent stop stays accepted", async (looks) => {
  const session = await proposed();
  const { thread } = session;
  const accept = async () => {
    await session.decide("go");
  };
  const store = interleaved(session.store, looks, accept);
  await withdrawQuestions({ store, thread, runId: "run_1", sessionId: "ses_1" }, "@ana");
  const isAccepted = (await session.store.questions.get(ID))?.status === "answered";
  expect(await session.plan()).toEqual(isAccepted ? expect.objectContaining({ phase: "accepted" }) : null);
});

test("a plan longer than a message is attached as a file", async () => {
  const steps = Array.from({ length: 20 }, (_, index) => `Step ${index} ${"x".repeat(150)}`);
  const session = await proposed({ steps });
  const card = session.thread.posts.get("question:call_1");
  expect(card?.markdown.length).toBeLessThan(2_000);
  expect(card?.files.map(({ name }) => name)).toEqual(["plan.md"]);
  expect(new TextDecoder().decode(card?.files[0]?.data)).toContain(steps.at(-1));
});

test.each([
  { what: "without a plan", changes: [{ step: 1, mark: "done" }], accepted: false, says: "There is no accepted plan" },
  {
    what: "for a step that is not there",
    changes: [{ step: 3, mark: "done" }],
    accepted: true,
    says: "there is no step 3",
  },
])("a mark $what is refused", async ({ changes, accepted, says }) => {
  const session = accepted ? await proposed() : await nativeSession();
  if (accepted) await answerByClick(click(`answer:go:${ID}`), { choice: "go", id: ID }, session.options);
  const result = await session.callTool(createUpdatePlan(session.deps), { steps: changes });
  expect(result?.isError).toBe(true);
  expect(textOf(result?.content ?? [])).toContain(says);
});
