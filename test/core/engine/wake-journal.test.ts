import { expect, test } from "vitest";
import { createTurnContext } from "../../../src/core/engine/turn-context.ts";
import { ConnectionLost } from "../../../src/core/protocol/database-failure.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { nativeSession, THREAD } from "../../support/native-session.ts";
import { silentLog } from "../../support/silent-log.ts";

const POSTED = { platform: "slack", channelId: "C1", messageId: "1.1" } as const;
const ANSWER = { lane: "answer", markdown: "Done.", tone: "plain", buttons: [], files: [] } as const;
const { signal } = new AbortController();
const lost = () => new ConnectionLost("Connection terminated unexpectedly");
const nothing = () => Promise.resolve();

/** A wake that continues a run, on the store that `over` returns. */
async function wakeOn(over: (store: Store) => Store = (store) => store) {
  const { store, clock, session } = await nativeSession();
  const platform = { posts: 0, looks: 0 };
  const target = {
    post: () => ((platform.posts += 1), Promise.resolve(POSTED)),
    find: () => ((platform.looks += 1), Promise.resolve(null)),
  };
  const context = createTurnContext({
    store: over(store),
    clock,
    log: silentLog,
    target,
    sessionId: session.id,
    runId: "run_1",
    epoch: 0,
    thread: THREAD,
    signal,
    suspended: signal,
    isResumed: true,
    isNewSession: false,
  });
  return { context, store, clock, platform };
}

/** A store that commits its first transaction but reports a lost connection. */
function silentOnce(store: Store, then: () => void): Store {
  let isFirst = true;
  return {
    ...store,
    async transaction(work) {
      const value = await store.transaction(work);
      if (!isFirst) return value;
      isFirst = false;
      then();
      throw lost();
    },
  };
}

test("an answer announced by a wake is posted at once, also if the run began in an earlier wake", async () => {
  const { context, clock, store, platform } = await wakeOn();
  await context.commit(nothing, { isDone: () => Promise.resolve(false), announces: ["answer:0"] });
  const posting = context.post("answer:0", ANSWER);
  await clock.runAll();
  expect([await posting, platform]).toEqual([POSTED, { posts: 1, looks: 0 }]);
  await context.flush();
  expect(await store.posts.get("run_1:answer:0")).toMatchObject({ state: "sent", posted: POSTED });
});

test("a write deferred during a transaction's retry is part of the next transaction", async () => {
  const hang = Promise.withResolvers<void>();
  const { context, clock, store } = await wakeOn((real) => silentOnce(real, hang.resolve));
  let isWritten = false;
  const committing = context.commit(nothing, { isDone: () => Promise.resolve(true) });
  await hang.promise;
  context.defer("late", async () => {
    isWritten = true;
  });
  await context.stage("noted", () => Promise.resolve("late, too"));
  await clock.runAll();
  await committing;
  await context.flush();
  expect(isWritten).toBe(true);
  expect(await store.journal.get("run_1", "noted")).toEqual({ found: true, value: "late, too" });
});

test("staged writes are stored once, even if the confirmation is lost", async () => {
  const { context, clock, store } = await wakeOn((real) => silentOnce(real, () => {}));
  await context.stage("noted", () => Promise.resolve(1));
  const committing = context.commit(nothing, { isDone: () => Promise.resolve(false) });
  await clock.runAll();
  await committing;
  expect(await store.journal.keysOf("run_1", "")).toEqual(["noted"]);
});

test("of two concurrent transactions exactly one includes the staged writes", async () => {
  // Delays the answer to each transaction until the other one has begun.
  const late = (store: Store): Store => ({
    ...store,
    async transaction(work) {
      const value = await store.transaction(work);
      for (let reads = 0; reads < 20; reads += 1) await store.sessions.get("ses_1");
      return value;
    },
  });
  const { context, store } = await wakeOn(late);
  await context.stage("noted", () => Promise.resolve(1));
  await Promise.all(["a", "b"].map((key) => context.transaction(key, nothing)));
  expect((await store.journal.keysOf("run_1", "")).toSorted()).toEqual(["a", "b", "noted"]);
});

test("a replayed step includes no staged writes and loses none", async () => {
  const { context } = await wakeOn();
  let times = 0;
  await context.transaction("a", nothing);
  context.defer("later", async () => {
    times += 1;
  });
  await context.transaction("a", nothing);
  await context.flush();
  expect(times).toBe(1);
});

test("a wake whose first read of the journal fails reads it again", async () => {
  let looks = 0;
  const { context, clock } = await wakeOn((store) => {
    const keysOf: Store["journal"]["keysOf"] = (...of) =>
      (looks += 1) === 1 ? Promise.reject(lost()) : store.journal.keysOf(...of);
    return { ...store, journal: { ...store.journal, keysOf } };
  });
  const work = context.transaction("work", () => Promise.resolve("done"));
  const ended = expect(work).resolves.toBe("done");
  await clock.runAll();
  await ended;
});
