import { expect, test } from "vitest";
import { childIdOf } from "../../../src/core/events/child-task.ts";
import type { ToolContext } from "../../../src/core/tool.ts";
import { createAgent } from "../../../src/tools/native/agent.ts";
import { NO_OWN_FILES } from "../../../src/tools/own-files.ts";
import { nativeSession } from "../../support/native-session.ts";

const CHILD = childIdOf({ runId: "run_1", callId: "call_1" });

/** A session with a running sub-agent, and the results of further `agent` calls. */
async function atWork() {
  const session = await nativeSession();
  const { store, clock, deps } = session;
  const models = { problemWith: () => Promise.resolve(null) };
  const tool = createAgent({ ...deps, agents: new Map(), models, ownFiles: () => NO_OWN_FILES, catalogue: () => [] });
  const begin = (place: Partial<ToolContext>, more = {}) =>
    session.callTool(tool, { description: "look", prompt: "Look.", ...more }, place);
  expect(await begin({})).toBeNull();
  const event = await store.inbox.byKey("child:ses_1:run_1:call_1");
  if (event === null) throw new Error("nothing began");
  await store.transaction(async (tx) => {
    await tx.inbox.take([event.seq], "run_2");
    await tx.runs.begin({ id: "run_2", sessionId: CHILD, eventSeq: event.seq, at: clock.now() });
  });
  return { store, begin };
}

test("a sub-agent that has reported is not woken again by its own sub-agents", async () => {
  const { store, begin } = await atWork();
  const place = { sessionId: CHILD, runId: "run_2" };
  const behind = await begin({ ...place, callId: "call_2" }, { run_in_background: true });
  expect(behind).toMatchObject({ isError: true, summary: "not started" });
  expect(await begin({ ...place, callId: "call_3" })).toBeNull();
  const below = await store.children.ofSession(CHILD);
  expect(below.map(({ parentCallId }) => parentCallId)).toEqual(["call_3"]);
});
