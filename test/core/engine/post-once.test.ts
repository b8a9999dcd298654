import { expect, test } from "vitest";
import { postOnce } from "../../../src/core/engine/post-once.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { nativeSession, THREAD } from "../../support/native-session.ts";
import { silentLog } from "../../support/silent-log.ts";

const POSTED = { platform: "slack", channelId: "C1", messageId: "1.1" } as const;
const CARD = { lane: "approval", markdown: "Which port?", tone: "plain", buttons: [], files: [] } as const;

/** A card that the platform puts off for two seconds, while its run goes on or ends. */
async function putOff({ isStopped }: { isStopped: boolean }) {
  const { store, clock, session } = await nativeSession();
  let tries = 0;
  const post = async () => {
    tries += 1;
    if (tries > 1) return POSTED;
    if (isStopped)
      await store.transaction((tx) =>
        tx.runs.end("run_1", { type: "cancelled", cause: { by: "person", name: "@ana" } }, clock.now()),
      );
    throw new PlatformError("platform_rate_limited", "too many", { retryAfterMs: 2_000, detail: { sent: "no" } });
  };
  const context = {
    store,
    clock,
    log: silentLog,
    target: { post, find: () => Promise.resolve(null) },
    thread: THREAD,
    owner: { runId: "run_1", sessionId: session.id, epoch: 0 },
    signal: new AbortController().signal,
  };
  const posting = postOnce(context, "run_1:card", CARD).catch((error: unknown) => error);
  await clock.runAll();
  return { ended: await posting, tries };
}

test("a card that was put off is posted later, but not once its run is over: nobody would close it", async () => {
  expect(await putOff({ isStopped: false })).toEqual({ ended: POSTED, tries: 2 });
  expect(await putOff({ isStopped: true })).toMatchObject({ ended: { code: "stale_owner" }, tries: 1 });
});
