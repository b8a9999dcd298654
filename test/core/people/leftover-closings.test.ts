import { expect, test } from "vitest";
import { closeLeftovers } from "../../../src/core/people/leftover-closings.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { nativeSession } from "../../support/native-session.ts";
import { silentLog } from "../../support/silent-log.ts";
import { aPlatform } from "../../support/talk/a-platform.ts";

const KEY = "run_1:live";
const CLOSING = { lane: "progress", markdown: "✓ done", tone: "plain", buttons: [] } as const;

/** What a process has left that died with a run's last state in the store. */
async function leftBehind() {
  const { store, clock } = await nativeSession();
  await store.transaction(async (tx) => {
    await tx.posts.intend({ key: KEY, runId: "run_1", sessionId: "ses_1", at: clock.now() });
    await tx.posts.closes(KEY, CLOSING);
    await tx.runs.end("run_1", { type: "max_turns", turns: 1 }, clock.now());
  });
  return { store, clock };
}

const POSTED = { platform: "slack", channelId: "C1", messageId: "m1" } as const;

test("what a request's failure has kept from its last state is tried again, without another start", async () => {
  const { store, clock } = await leftBehind();
  await store.transaction((tx) => tx.posts.sent(KEY, POSTED, clock.now()));
  const edits: string[] = [];
  const edit = (_posted: typeof POSTED | object, { markdown }: { markdown: string }) => {
    edits.push(markdown);
    return edits.length < 3 ? Promise.reject(new PlatformError("network", "lost")) : Promise.resolve();
  };
  const platform = { descriptor: aPlatform(), edit, find: () => Promise.resolve(null) };
  const closing = closeLeftovers({ store, clock, log: silentLog, platform });
  await clock.advance(10_000);
  await closing;
  expect(edits).toEqual(Array.from({ length: 3 }, () => CLOSING.markdown));
  expect(await store.posts.isUnclosed(KEY)).toBe(false);
});

test("a message whose post was cut off and lands only now comes to its last state, too", async () => {
  const { store, clock } = await leftBehind();
  const edits: string[] = [];
  let looks = 0;
  const find = () => Promise.resolve((looks += 1) > 1 ? POSTED : null);
  const edit = (_posted: object, { markdown }: { markdown: string }) => Promise.resolve(void edits.push(markdown));
  const closing = closeLeftovers({ store, clock, log: silentLog, platform: { descriptor: aPlatform(), edit, find } });
  await clock.advance(10_000);
  await closing;
  expect(edits).toEqual([CLOSING.markdown]);
});
