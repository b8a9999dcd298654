import { describe, expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import type { InboundAction } from "../../../src/core/platform/inbound.ts";
import type { Person, ThreadRef } from "../../../src/core/platform/thread.ts";
import type { RunHook } from "../../../src/core/run/run-hooks.ts";
import { click, intakeOptions, mention, privateText, slash } from "./intake-fixture.ts";

const EVE: Person = { id: "slack:U9", name: "eve", roles: [], isBot: false, isGuest: false, isExternal: false };
const SECRET: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C7", threadId: "7" };
const ELSEWHERE: readonly { from: string; thread: ThreadRef }[] = [
  { from: "another channel", thread: { ...SECRET, channelId: "C1" } },
  { from: "another thread", thread: { ...SECRET, threadId: "8" } },
  { from: "its channel, outside its thread", thread: { ...SECRET, threadId: null } },
  { from: "another platform", thread: { ...SECRET, platform: "web" } },
];
const NOTHING = "This button no longer works.";

/** Buttons in the private channel's thread, and the answer to a click on each of them there. */
const BUTTONS: readonly { button: string; there: RegExp }[] = [
  { button: "stop:run_1", there: /accepted|stopped|ended/u },
  { button: "details:run_1", there: /tokens read/u },
  { button: "continue:run_1", there: /accepted|at work/u },
  { button: "retry:run_1", there: /accepted|at work/u },
  { button: "good:run_1", there: /Noted/u },
  { button: "bad:run_1", there: /Noted/u },
  { button: "approve:y:run_1:1", there: /accepted/u },
  { button: "approve:n:run_1:1", there: /accepted/u },
  { button: "approve:a:run_1:1", there: /accepted/u },
  { button: "approve:A:run_1:1", there: /accepted/u },
  { button: "ask-again:run_1:2", there: /accepted/u },
  { button: "answer:0:run_1:q1", there: /accepted/u },
  { button: "answer:go:run_1:p1", there: /accepted/u },
  { button: "answer:change:run_1:p1", there: /change/u },
  { button: "answer:drop:run_1:p1", there: /accepted/u },
  { button: "revoke:grt_1", there: /Revoked/u },
];

/** A private channel with a run that has posted every kind of card, all for Eve to decide. */
async function privateRun(members: readonly string[], hooks: readonly RunHook[] = []) {
  const { options } = await intakeOptions();
  const { store } = options;
  const asked = mention("begin", { thread: SECRET, person: EVE, channel: { id: "C7", name: "hr", kind: "channel" } });
  const receive = createIntake({
    ...options,
    hooks: () => hooks,
    canSeeChannel: async ({ channelId }, { id }) => channelId !== "C7" || members.includes(id),
  });
  await receive({ ...asked, key: "opening" });
  // People's remarks to each other begin no run of their own, so this run takes the remark.
  await receive({ ...asked, key: "remark", addressed: "other" });
  const { id: sessionId } = (await store.sessions.byKey("slack:T1:C7:7")) ?? { id: "" };
  const { seq = 0 } = (await store.inbox.byKey("remark")) ?? {};
  const run = { runId: "run_1", sessionId };
  const person = { id: EVE.id, name: EVE.name };
  const call = { callId: "c1", tool: "bash", input: "{}", grant: { key: "bash:ls", label: "ls" }, title: "bash `ls`" };
  const approval = { ...run, turn: 1, calls: [call], people: { requester: person, others: [], mayRemember: true } };
  const at = options.runtime.clock.now();
  await store.transaction(async (tx) => {
    await tx.runs.begin({ id: "run_1", sessionId, eventSeq: seq, at });
    await tx.approvals.create({ ...approval, id: "run_1:1", createdAt: at, expiresAt: at + 60_000 });
    await tx.approvals.create({ ...approval, id: "run_1:2", turn: 2, createdAt: at, expiresAt: at });
    await tx.approvals.decide("run_1:2", { status: "expired", scope: null, decidedBy: null, at });
    await tx.questions.open({
      ...run,
      id: "run_1:q1",
      askedOf: EVE.id,
      body: { kind: "question", question: "Which?", options: ["a", "b"] },
      at,
    });
    await tx.questions.open({
      ...run,
      id: "run_1:p1",
      askedOf: EVE.id,
      body: { kind: "plan", intro: "", steps: [{ text: "do it", mark: "open" }] },
      at,
    });
    await tx.grants.add({
      id: "grt_1",
      sessionId: null,
      channelId: "slack:C7",
      personId: EVE.id,
      key: "bash:ls",
      label: "ls",
      grantedBy: "@eve",
      createdAt: at,
    });
  });
  return async (button: string, more: Partial<InboundAction>) =>
    privateText(await receive(click(button, { person: EVE, ...more })));
}

describe.each(BUTTONS)("$button", ({ button, there }) => {
  const elsewhere = button.startsWith("revoke:")
    ? ELSEWHERE.filter(({ thread }) => thread.channelId !== SECRET.channelId || thread.platform !== SECRET.platform)
    : ELSEWHERE;

  test.each(elsewhere)("does nothing from $from", async ({ thread }) => {
    const clicked = await privateRun([EVE.id]);
    expect(await clicked(button, { thread })).toBe(NOTHING);
    expect(await clicked(button, { thread: SECRET }), "nothing has come of it").toMatch(there);
  });

  test("does nothing for a person who cannot see its channel", async () => {
    const clicked = await privateRun([]);
    expect(await clicked(button, { thread: SECRET })).toBe(NOTHING);
  });
});

test("details of a run are shown without the part of a failing feature", async () => {
  const fails: RunHook = { name: "faulty", details: () => Promise.reject(new Error("no")) };
  const tells: RunHook = { name: "sound", details: () => Promise.resolve({ lines: ["Two were read."] }) };
  const clicked = await privateRun([EVE.id], [fails, tells]);
  expect(await clicked("details:run_1", { thread: SECRET })).toMatch(/tokens read[^]*Two were read\./u);
});

test.each([
  { members: [EVE.id], answer: /^There is no session here yet/u },
  { members: [], answer: /^This form no longer works\.$/u },
])("a form contains its thread, and is accepted from members of its channel: $members", async ({ members, answer }) => {
  const { options } = await intakeOptions();
  const receive = createIntake({
    ...options,
    canSeeChannel: async ({ channelId }, { id }) => channelId !== "C7" || members.includes(id),
  });
  const form = slash("status", "", { person: EVE, thread: { ...SECRET, threadId: null }, filled: {} });
  expect(privateText(await receive(form))).toMatch(answer);
});
