import { expect, test } from "vitest";
import { type PostTarget, postOnce } from "../../../src/core/engine/post-once.ts";
import { createTurnContext } from "../../../src/core/engine/turn-context.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { nativeSession, THREAD } from "../../support/native-session.ts";
import { silentLog } from "../../support/silent-log.ts";

const POSTED = { platform: "slack", channelId: "C1", messageId: "1.1" } as const;
const BY_ANA = { by: "person", name: "@ana" } as const;
const CARD = { lane: "approval", markdown: "Which port?", tone: "plain", buttons: [], files: [] } as const;

/** Posts a card that the platform defers by two seconds, while its run continues or is stopped. */
async function putOff({ isStopped }: { isStopped: boolean }) {
  const stopping = new AbortController();
  return posting(stopping, (tries) => {
    if (tries > 1) return null;
    if (isStopped) stopping.abort(new CancelSignal(BY_ANA));
    return new PlatformError("platform_rate_limited", "too many", { retryAfterMs: 2_000, detail: { sent: "no" } });
  });
}

/** Posts a card; returns its outcome and the number of attempts. */
async function posting(
  stopping: AbortController,
  failureOf: (tries: number) => PlatformError | null,
  find: PostTarget["find"] = () => Promise.resolve(null),
) {
  const { store, clock, session } = await nativeSession();
  let tries = 0;
  const post = () => {
    tries += 1;
    const failure = failureOf(tries);
    return failure === null ? Promise.resolve(POSTED) : Promise.reject(failure);
  };
  const context = {
    store,
    clock,
    log: silentLog,
    target: { post, find },
    thread: THREAD,
    owner: { runId: "run_1", sessionId: session.id, epoch: 0 },
    signal: new AbortController().signal,
    stopped: stopping.signal,
  };
  const posted = postOnce(context, "run_1:card", CARD).catch((error: unknown) => error);
  await clock.runAll();
  return { ended: await posted, tries };
}

test("a deferred card is posted later, unless its run was stopped, because nothing would close it", async () => {
  expect(await putOff({ isStopped: false })).toEqual({ ended: POSTED, tries: 2 });
  expect(await putOff({ isStopped: true })).toMatchObject({ ended: { cause: BY_ANA }, tries: 1 });
});

test("a post that the platform keeps refusing for an unknown reason is abandoned as refused", async () => {
  const unknown = new PlatformError("platform_failed", "new_restriction", { detail: { refused: "unknown" } });
  const { ended, tries } = await posting(new AbortController(), () => unknown);
  expect(ended).toMatchObject({ code: "defect", cause: unknown });
  expect(tries).toBe(8);
  const passing = new PlatformError("platform_failed", "fatal_error");
  expect(await posting(new AbortController(), (n) => (n > 9 ? null : passing))).toEqual({ ended: POSTED, tries: 10 });
});

test("a post whose delivery cannot be verified is sent again", async () => {
  const lost = new PlatformError("network", "no answer");
  const fails = (tries: number) => (tries > 1 ? null : lost);
  const closed = () => Promise.reject(new PlatformError("missing_scope", "channels:history"));
  expect(await posting(new AbortController(), fails, closed)).toEqual({ ended: POSTED, tries: 2 });
  const gone = new PlatformError("thread_gone", "channel_not_found");
  const ended = await posting(new AbortController(), fails, () => Promise.reject(gone));
  expect(ended).toEqual({ ended: gone, tries: 1 });
});

test("an alternative form of a refused message is posted at once, without a search for the first", async () => {
  const { store, clock, session } = await nativeSession();
  const calls: string[] = [];
  const target = {
    post: () => {
      calls.push("post");
      return calls.length > 1
        ? Promise.resolve(POSTED)
        : Promise.reject(new PlatformError("missing_scope", "no files"));
    },
    find: () => {
      calls.push("find");
      return Promise.resolve(null);
    },
  };
  const { signal } = new AbortController();
  const run = { sessionId: session.id, runId: "run_1", epoch: 0, isResumed: false, isNewSession: false };
  const services = { store, clock, log: silentLog, target };
  const context = createTurnContext({ ...services, ...run, thread: THREAD, signal, suspended: signal });
  await expect(context.post("card", CARD)).rejects.toMatchObject({ code: "missing_scope" });
  const again = context.post("card", CARD);
  await clock.runAll();
  expect(await again).toEqual(POSTED);
  expect(calls).toEqual(["post", "post"]);
});
