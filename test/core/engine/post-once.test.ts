import { expect, test } from "vitest";
import { postOnce } from "../../../src/core/engine/post-once.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { nativeSession, THREAD } from "../../support/native-session.ts";
import { silentLog } from "../../support/silent-log.ts";

const POSTED = { platform: "slack", channelId: "C1", messageId: "1.1" } as const;
const BY_ANA = { by: "person", name: "@ana" } as const;
const CARD = { lane: "approval", markdown: "Which port?", tone: "plain", buttons: [], files: [] } as const;

/** A card that the platform puts off for two seconds, while its run goes on or is stopped. */
async function putOff({ isStopped }: { isStopped: boolean }) {
  const { store, clock, session } = await nativeSession();
  const stopping = new AbortController();
  let tries = 0;
  const post = async () => {
    tries += 1;
    if (tries > 1) return POSTED;
    if (isStopped) stopping.abort(new CancelSignal(BY_ANA));
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
    stopped: stopping.signal,
  };
  const posting = postOnce(context, "run_1:card", CARD).catch((error: unknown) => error);
  await clock.runAll();
  return { ended: await posting, tries };
}

test("a card that was put off is posted later, but not once its run is stopped: nobody would close it", async () => {
  expect(await putOff({ isStopped: false })).toEqual({ ended: POSTED, tries: 2 });
  expect(await putOff({ isStopped: true })).toMatchObject({ ended: { cause: BY_ANA }, tries: 1 });
});
