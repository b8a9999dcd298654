import { expect, test } from "vitest";
import { statusOf } from "../../../src/core/store/child-status.ts";
import { beginKeyOf } from "../../../src/core/store/run/children.ts";
import { interleaved } from "../../support/database/interleaved-store.ts";
import { ANA, nativeSession } from "../../support/native-session.ts";

const CHILD = {
  id: "agt_1",
  parentId: "ses_1",
  parentRunId: "run_1",
  parentCallId: "call_1",
  task: {
    agent: "worker",
    description: "look",
    background: false,
    depth: 1,
    root: { sessionId: "ses_1", runId: "run_1" },
  },
  createdAt: 0,
};
const BEGIN = beginKeyOf(CHILD);

test.each([1, 2, 3])("a child that starts after %i of the status reads is not reported as stopped", async (n) => {
  const { store, clock } = await nativeSession();
  const at = clock.now();
  const { seq } = await store.transaction(async (tx) => {
    await tx.children.create({ ...CHILD, settings: {}, createdBy: ANA.id });
    const event = { key: BEGIN, body: { kind: "resume", of: "test" } } as const;
    return tx.inbox.insert({ sessionId: CHILD.id, event, wakes: true, resumes: false, dueAt: at, at });
  });
  const begin = () =>
    store.transaction(async (tx) => {
      await tx.inbox.take([seq], "run_2");
      await tx.runs.begin({ id: "run_2", sessionId: CHILD.id, eventSeq: seq, at });
    });
  const { type } = await statusOf(interleaved(store, n, begin), CHILD.id, BEGIN);
  expect(type).toMatch(/waiting|working/u);
});
