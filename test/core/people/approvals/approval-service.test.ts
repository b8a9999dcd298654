import { expect, test } from "vitest";
import { createTurnContext } from "../../../../src/core/engine/turn-context.ts";
import { approvalId, createApprovalService } from "../../../../src/core/people/approvals/approval-service.ts";
import { canonicalJson } from "../../../../src/core/text/canonical-json.ts";
import { EMPTY_LABEL } from "../../../../src/core/trust/label.ts";
import { ANA, nativeSession, THREAD } from "../../../support/native-session.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { aPlatform } from "../../../support/talk/a-platform.ts";
import { tool } from "../../agent/query-fixture.ts";

const TURN = 1;
const ALLOWED = { path: "a", depth: 1 };

/** A desk whose run has been allowed one call. */
async function decidedDesk() {
  const { store, engine, clock, session, finaliser, options } = await nativeSession();
  const none = () => Promise.reject(new Error("nothing is posted"));
  const platform = { edit: none, find: none, post: none, descriptor: aPlatform() };
  const { signal } = new AbortController();
  const owner = { sessionId: session.id, runId: "run_1", epoch: 0, isResumed: true, isNewSession: false };
  const run = { ...owner, thread: THREAD, signal, suspended: signal };
  const context = createTurnContext({ store, clock, log: silentLog, target: platform, ...run });
  const grant = { key: "launch:a", label: "a" };
  const call = { callId: "c1", tool: "launch", input: canonicalJson(ALLOWED), grant, title: "launch `a`" };
  const people = { requester: { id: ANA.id, name: ANA.name }, others: [], mayRemember: true };
  const id = approvalId("run_1", TURN);
  const row = { id, sessionId: session.id, runId: "run_1", turn: TURN, calls: [call], people };
  const decision = { status: "allowed", scope: "once", decidedBy: "@ana", at: clock.now() } as const;
  await store.transaction(async (tx) => {
    await tx.approvals.create({ ...row, createdAt: clock.now(), expiresAt: clock.now() + 60_000 });
    await tx.approvals.decide(id, decision);
  });
  const rest = { rules: options.approvals, session, context, isResumed: true, finaliser };
  return createApprovalService({ store, engine, clock, log: silentLog, platform, ...rest });
}

const NOTHING_BEFORE = { label: EMPTY_LABEL, messages: [] };

function asked(id: string, input: object) {
  const use = { type: "tool_use", id, name: "launch", input } as const;
  const preview = () => Promise.reject(new Error("nobody is asked"));
  return { use, tool: tool("launch", { permission: "execute" }), why: null, always: false, preview };
}

test.each([
  { input: ALLOWED, verdict: { type: "allowed" } },
  { input: { depth: 1, path: "a" }, verdict: { type: "allowed" } },
  {
    input: { ...ALLOWED, depth: 2 },
    verdict: { type: "denied", reason: "Not run: the arguments differ from those that were allowed." },
  },
])("with the arguments $input the approved call is $verdict.type", async ({ input, verdict }) => {
  const desk = await decidedDesk();
  expect(await desk.verdicts(TURN, [asked("c1", input)], NOTHING_BEFORE)).toEqual(new Map([["c1", verdict]]));
});

test("a neighbouring call that needs a decision only now is not covered by the approval", async () => {
  const desk = await decidedDesk();
  const verdicts = await desk.verdicts(TURN, [asked("c1", ALLOWED), asked("c2", { path: "b" })], NOTHING_BEFORE);
  expect(verdicts?.get("c1")).toEqual({ type: "allowed" });
  expect(verdicts?.get("c2")).toMatchObject({ type: "denied", reason: expect.stringContaining("nobody was asked") });
});
