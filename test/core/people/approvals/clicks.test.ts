import { expect, test } from "vitest";
import { askAgain, clickApproval } from "../../../../src/core/people/approvals/clicks.ts";
import type { ApprovalRow } from "../../../../src/core/store/run/approvals.ts";
import { ANA, BEN, CHIEF, click, type NativeSession, nativeSession } from "../../../support/native-session.ts";
import { countingIds, seededRandom } from "../../../support/runtime.ts";

const ID = "run_1:1";
const MINUTE_MS = 60_000;

/** A session whose run waits for a decision on one command, for an hour. */
async function asked() {
  const session = await nativeSession();
  const { store, clock } = session;
  const at = clock.now();
  const call = {
    callId: "c1",
    tool: "bash",
    input: "{}",
    grant: { key: "bash:ls", label: "this command" },
    title: "bash `ls`",
  };
  const people = { requester: { id: ANA.id, name: ANA.name }, others: [], mayRemember: true };
  const row = { id: ID, sessionId: "ses_1", runId: "run_1", turn: 1, calls: [call], people };
  await store.transaction((tx) => tx.approvals.create({ ...row, createdAt: at, expiresAt: at + 60 * MINUTE_MS }));
  return session;
}

function options({ options: { store, engine, approvals }, clock }: NativeSession) {
  return { store, engine, approvals, runtime: { clock, ids: countingIds(), random: seededRandom(1) } };
}

const decide = (session: NativeSession, choice: string, { by = ANA, id = ID } = {}) =>
  clickApproval(click(`approve:${choice}:${id}`, by), { choice, id }, options(session));
const again = (session: NativeSession, by = ANA) =>
  askAgain(click(`ask-again:${ID}`, by), { id: ID }, options(session));
const said = (receipt: object) => ("message" in receipt ? receipt.message : receipt);
const approval = async ({ store }: NativeSession): Promise<ApprovalRow | null> => store.approvals.get(ID);

test("a click at the moment of expiry decides nothing, even before the expiry is processed", async () => {
  const session = await asked();
  await session.clock.advance(60 * MINUTE_MS);
  expect(said(await decide(session, "A"))).toMatchObject({
    markdown: "⚠ Nobody decided within 60 min; I left it out.",
  });
  expect(await approval(session)).toMatchObject({ status: "pending" });
  expect(await session.store.grants.inForce({ sessionId: "ses_1", channelId: "slack:C1" })).toEqual([]);
});

test.each([
  { what: "of an approval that there is not", choice: "y", id: "run_9:1" },
  { what: "that no card has", choice: "x", id: ID },
  { what: "that is another object's name", choice: "constructor", id: ID },
])("a button $what does nothing", async ({ choice, id }) => {
  const session = await asked();
  expect(said(await decide(session, choice, { id }))).toMatchObject({
    markdown: "This button no longer works.",
  });
  expect(await approval(session)).toMatchObject({ status: "pending" });
});

test("a person who may not decide is told who may", async () => {
  const session = await asked();
  expect(said(await decide(session, "y", { by: BEN }))).toMatchObject({
    markdown: "You can't decide this. Only @ana or an approver can.",
  });
  expect(await decide(session, "y", { by: CHIEF })).toEqual({ type: "accepted" });
});

test("the first click on an expired card asks again; later clicks are told so", async () => {
  const session = await asked();
  const { store, clock } = session;
  const expired = { status: "expired", scope: null, decidedBy: null, at: clock.now() } as const;
  await store.transaction((tx) => tx.approvals.decide(ID, expired));
  const [first, second] = await Promise.all([again(session, ANA), again(session, BEN)]);
  expect(first).toEqual({ type: "accepted" });
  expect(said(second)).toMatchObject({ markdown: "@ana already clicked this." });
  expect(await again(session, ANA)).toEqual({ type: "duplicate" });
});
