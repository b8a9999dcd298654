import { expect, test } from "vitest";
import { MessageFinaliser } from "../../../src/core/people/message-finaliser.ts";
import type { OutgoingMessage, PostedMessage } from "../../../src/core/platform/outgoing.ts";
import { ConnectionLost } from "../../../src/core/protocol/database-failure.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { nativeSession, THREAD } from "../../support/native-session.ts";
import { silentLog } from "../../support/silent-log.ts";

const KEY = "run_1:live";
const CLOSING = { lane: "progress", markdown: "✓ done", tone: "plain", buttons: [], files: [] } as const;

/** The store of a process that died before it showed the final state of a run's message. */
async function leftBehind() {
  const { store, clock } = await nativeSession();
  await store.transaction(async (tx) => {
    await tx.posts.intend({ key: KEY, runId: "run_1", sessionId: "ses_1", at: clock.now() });
    await tx.posts.closes(KEY, CLOSING);
    await tx.runs.end("run_1", { type: "max_turns", turns: 1 }, clock.now());
  });
  return { store, clock };
}

interface Next extends Awaited<ReturnType<typeof leftBehind>> {
  readonly edit: (posted: PostedMessage, message: OutgoingMessage) => Promise<void>;
  readonly find: () => Promise<PostedMessage | null>;
}

/** Runs the finaliser of the next process for ten seconds. */
async function closeStale({ store, clock, edit, find }: Next) {
  const { signal } = new AbortController();
  const finaliser = new MessageFinaliser({ store, clock, log: silentLog, platform: () => ({ edit, find }), signal });
  await finaliser.finaliseStale("slack");
  await clock.advance(10_000);
}

const POSTED = { platform: "slack", channelId: "C1", messageId: "m1" } as const;

test("finalising a message is retried after a failed request, without a restart", async () => {
  const { store, clock } = await leftBehind();
  await store.transaction((tx) => tx.posts.sent(KEY, POSTED, clock.now()));
  const edits: string[] = [];
  const edit = (_posted: typeof POSTED | object, { markdown }: { markdown: string }) => {
    edits.push(markdown);
    return edits.length < 3 ? Promise.reject(new PlatformError("network", "lost")) : Promise.resolve();
  };
  await closeStale({ store, clock, edit, find: () => Promise.resolve(null) });
  expect(edits).toEqual(Array.from({ length: 3 }, () => CLOSING.markdown));
  expect(await store.posts.get(KEY)).toMatchObject({ closing: "shown" });
});

test("a message whose interrupted post arrives late is finalised as well", async () => {
  const { store, clock } = await leftBehind();
  const edits: string[] = [];
  let looks = 0;
  const find = () => Promise.resolve((looks += 1) > 1 ? POSTED : null);
  const edit = (_posted: object, { markdown }: { markdown: string }) => Promise.resolve(void edits.push(markdown));
  await closeStale({ store, clock, edit, find });
  expect(edits).toEqual([CLOSING.markdown]);
});

test("a final state that the platform refuses is replaced by a generic text", async () => {
  const { store, clock } = await leftBehind();
  await store.transaction((tx) => tx.posts.sent(KEY, POSTED, clock.now()));
  const edits: string[] = [];
  const edit = (_posted: object, { markdown }: { markdown: string }) => {
    edits.push(markdown);
    return edits.length < 2 ? Promise.reject(new PlatformError("defect", "invalid_blocks")) : Promise.resolve();
  };
  await closeStale({ store, clock, edit, find: () => Promise.resolve(null) });
  expect(edits).toEqual([CLOSING.markdown, expect.stringContaining("This has ended")]);
  expect(await store.posts.get(KEY)).toMatchObject({ closing: "shown" });
});

test("deleted and inaccessible messages are tried once per process, however often it sweeps", async () => {
  const { store, clock } = await leftBehind();
  await store.transaction((tx) => tx.posts.sent(KEY, POSTED, clock.now()));
  let edits = 0;
  const edit = () => Promise.reject(new PlatformError("thread_gone", `gone, ${(edits += 1)}`));
  const platform = () => ({ edit, find: () => Promise.resolve(null) });
  const { signal } = new AbortController();
  const finaliser = new MessageFinaliser({ store, clock, log: silentLog, platform, signal });
  for (let look = 0; look < 3; look += 1) {
    await finaliser.finaliseStale("slack", clock.now() + 1);
    await clock.advance(20_000);
  }
  expect(edits).toBe(1);
});

test("concurrent additions to one message are all shown", async () => {
  const { store, clock } = await leftBehind();
  await store.transaction((tx) => tx.posts.sent(KEY, POSTED, clock.now()));
  const edits: string[] = [];
  const edit = (_posted: object, { markdown }: { markdown: string }) => Promise.resolve(void edits.push(markdown));
  const platform = () => ({ edit, find: () => Promise.resolve(null) });
  const { signal } = new AbortController();
  const finaliser = new MessageFinaliser({ store, clock, log: silentLog, platform, signal });
  const appended = ["one", "two", "three"].map((words) => finaliser.amend("run_1", "live", { thread: THREAD, words }));
  await Promise.all(appended);
  await expect.poll(() => edits.at(-1)).toBe("✓ done · one · two · three");
});

/** A finaliser whose edits are collected, and fail while `fails` says so. */
function collecting({ store, clock }: Awaited<ReturnType<typeof leftBehind>>, fails = (_attempt: number) => false) {
  const edits: string[] = [];
  const edit = async (_posted: object, { markdown }: { markdown: string }) => {
    if (fails(edits.push(markdown))) throw new PlatformError("network", "lost");
  };
  const platform = () => ({ edit, find: () => Promise.resolve(null) });
  const { signal } = new AbortController();
  return { edits, finaliser: new MessageFinaliser({ store, clock, log: silentLog, platform, signal }) };
}

test("a message is finalised after an outage of an hour, although nobody sweeps", async () => {
  const left = await leftBehind();
  const { store, clock } = left;
  await store.transaction((tx) => tx.posts.sent(KEY, POSTED, clock.now()));
  const endOfOutage = clock.now() + 3_600_000;
  const { edits, finaliser } = collecting(left, () => clock.now() < endOfOutage);
  finaliser.begin({ key: KEY, thread: THREAD, last: CLOSING });
  for (let minute = 0; minute < 62; minute += 1) await clock.advance(60_000);
  expect(await store.posts.get(KEY)).toMatchObject({ closing: "shown" });
  expect(edits.length).toBeLessThan(70);
});

test("a message is finalised once the database answers again", async () => {
  const left = await leftBehind();
  const { store, clock } = left;
  await store.transaction((tx) => tx.posts.sent(KEY, POSTED, clock.now()));
  let isAway = true;
  const get = async (key: string) => {
    if (isAway) throw new ConnectionLost("the server closed the connection");
    return store.posts.get(key);
  };
  const { edits, finaliser } = collecting({ clock, store: { ...store, posts: { ...store.posts, get } } });
  finaliser.begin({ key: KEY, thread: THREAD, last: CLOSING });
  await clock.advance(10_000);
  expect(edits).toEqual([]);
  isAway = false;
  await clock.advance(60_000);
  expect(edits).toEqual([CLOSING.markdown]);
  expect(await store.posts.get(KEY)).toMatchObject({ closing: "shown" });
});

test("a final state is shown again if something else may have been written over it", async () => {
  const left = await leftBehind();
  const { store, clock } = left;
  await store.transaction((tx) => tx.posts.sent(KEY, POSTED, clock.now()));
  const { edits, finaliser } = collecting(left);
  expect(await finaliser.finalise({ key: KEY, thread: THREAD, last: CLOSING })).toBe(true);
  await finaliser.repeat("run_1", "live", THREAD);
  await expect.poll(() => edits).toEqual([CLOSING.markdown, CLOSING.markdown]);
  await expect.poll(async () => (await store.posts.get(KEY))?.closing).toBe("shown");
  await finaliser.repeat("run_1", "answer:0", THREAD);
  expect(edits).toHaveLength(2);
});
