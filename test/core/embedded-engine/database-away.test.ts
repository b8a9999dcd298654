import { expect, test } from "vitest";
import { postOnce } from "../../../src/core/engine/post-once.ts";
import { createTurnContext } from "../../../src/core/engine/turn-context.ts";
import { ConnectionLost } from "../../../src/core/protocol/database-failure.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { nativeSession, THREAD } from "../../support/native-session.ts";
import { silentLog } from "../../support/silent-log.ts";
import { drive, ScriptedModel, scenario, tool } from "../agent/query-fixture.ts";

const lost = () => new ConnectionLost("Connection terminated unexpectedly");
const { signal } = new AbortController();
const NOWHERE = { post: () => Promise.reject(new Error("no")), find: () => Promise.resolve(null) };

/** A store whose connection breaks in the first `left` transactions, before or after they commit. */
function breaking(store: Store, breaks: { left: number; committed: boolean }): Store {
  return {
    ...store,
    async transaction(work) {
      if (breaks.left === 0) return store.transaction(work);
      breaks.left -= 1;
      if (breaks.committed) await store.transaction(work);
      throw lost();
    },
  };
}

const RESUMED = { isResumed: true, isNewSession: false };

async function contextOver(breaks: { left: number; committed: boolean }) {
  const { store, clock, session } = await nativeSession();
  const run = {
    sessionId: session.id,
    runId: "run_1",
    epoch: 0,
    thread: THREAD,
    signal,
    suspended: signal,
    ...RESUMED,
  };
  const over = breaking(store, breaks);
  const context = createTurnContext({ store: over, clock, log: silentLog, target: NOWHERE, ...run });
  return { context, clock, store, session };
}

test.each([
  { committed: false, when: "before it was committed" },
  { committed: true, when: "after it was committed" },
])("a step whose connection broke $when is journalled exactly once", async ({ committed }) => {
  const { context, clock, store, session } = await contextOver({ left: 2, committed });
  let works = 0;
  let counts = 100;
  const step = context.stage("work", () => Promise.resolve((works += 1)));
  const counted = context.transaction("count", (tx) => tx.sessions.addPerson(session.id, `slack:U${(counts += 1)}`));
  await clock.runAll();
  expect([await step, await counted, works]).toEqual([1, undefined, 1]);
  expect((await store.sessions.get(session.id)).people).toHaveLength(session.people.length + 1);
});

test("a database that stays unavailable fails the run", async () => {
  const { context, clock } = await contextOver({ left: Infinity, committed: false });
  const work = context.transaction("work", () => Promise.resolve(1));
  const failed = expect(work).rejects.toThrow(ConnectionLost);
  await clock.runAll();
  await failed;
});

const POSTED = { platform: "slack", channelId: "C1", messageId: "1.1" } as const;

/** Posts over a connection that breaks in the first transactions, and in `afterwards` more once the post has landed. */
async function postOver(breaks: { left: number; committed: boolean }, afterwards: number) {
  const { store, clock, session } = await nativeSession();
  let posts = 0;
  const post = async () => {
    posts += 1;
    breaks.left = afterwards;
    return POSTED;
  };
  const context = {
    store: breaking(store, breaks),
    clock,
    log: silentLog,
    target: { ...NOWHERE, post },
    thread: THREAD,
    owner: { runId: "run_1", sessionId: session.id, epoch: 0 },
    signal,
    stopped: signal,
  };
  const message = { lane: "progress", markdown: "Hello.", tone: "plain", buttons: [], files: [] } as const;
  const ended = postOnce(context, "run_1:key", message).catch((error: unknown) => error);
  await clock.runAll();
  return { ended: await ended, posts, row: await store.posts.get("run_1:key") };
}

test.each([
  { committed: false, when: "before its steps were committed" },
  { committed: true, when: "after its steps were committed" },
])("a post whose connection broke $when is sent and recorded exactly once", async ({ committed }) => {
  const { ended, posts, row } = await postOver({ left: 2, committed }, 2);
  expect([ended, posts]).toEqual([POSTED, 1]);
  expect(row).toMatchObject({ state: "sent", posted: POSTED });
});

test("a database outage after a successful post is not reported as a defect", async () => {
  expect((await postOver({ left: 0, committed: false }, Infinity)).ended).toBeInstanceOf(ConnectionLost);
});

test("a tool call that failed because of the database is retried, invisibly to the model", async () => {
  const model = ScriptedModel.byTurn({ calls: [{ id: "c1", name: "ask", input: { path: "a" } }] }, { text: "Done." });
  let tries = 0;
  const ask = tool("ask", { execute: () => ((tries += 1) === 1 ? Promise.reject(lost()) : Promise.resolve(TOLD)) });
  const { query, journal } = scenario({ model, tools: [ask] });
  await expect(drive(query)).rejects.toThrow(ConnectionLost);
  expect((await journal.load()).calls).toMatchObject([{ callId: "c1", status: "begun" }]);
  expect((await drive(query)).outcome).toMatchObject({ type: "end_turn" });
  expect(tries).toBe(2);
  expect(model.requests).toHaveLength(2);
});

const TOLD = { content: [{ type: "text" as const, text: "told" }], isError: false };

test("an unreadable budget limit is not reported as a failure of the model", async () => {
  const model = ScriptedModel.inOrder({ error: lost() }, { text: "Done." });
  const { query } = scenario({ model });
  await expect(drive(query)).rejects.toThrow(ConnectionLost);
  expect((await drive(query)).outcome).toMatchObject({ type: "end_turn" });
});
