import { expect, test } from "vitest";
import { MessageFinaliser } from "../../../src/core/people/message-finaliser.ts";
import type { OutgoingMessage, PostedMessage } from "../../../src/core/platform/outgoing.ts";
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
