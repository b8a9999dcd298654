import { expect, test } from "vitest";
import type { TakeLock } from "../../../src/core/cluster.ts";
import type { TurnContext } from "../../../src/core/engine/engine.ts";
import type { OutgoingMessage } from "../../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { JobThreads } from "../../../src/core/run/job-thread.ts";
import type { SessionRow } from "../../../src/core/store/sessions.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { describePlatform } from "../../../src/platforms.ts";
import { childEvent } from "../../support/child-event.ts";
import { emptyStore } from "../../support/database/emptied-databases.ts";
import { sharedLock } from "../../support/shared-lock.ts";
import { silentLog } from "../../support/silent-log.ts";

const CHANNEL: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: null };
const CARD: OutgoingMessage = { lane: "approval", markdown: "May I?", tone: "plain", buttons: [], files: [] };

const unasked = () => Promise.reject(new Error("nobody asks for this"));
const NOTHING: Omit<TurnContext, "runId" | "post"> = {
  signal: new AbortController().signal,
  epoch: 1,
  transaction: unasked,
  earlier: unasked,
  stage: unasked,
  commit: unasked,
  defer: () => undefined,
  flush: unasked,
  append: unasked,
  history: () => null,
  takeInbox: unasked,
};

/** The session of a job that has not posted anything yet. */
async function jobSession(store: Store): Promise<SessionRow> {
  const session = { id: "ses_1", agent: "build", settings: {}, createdBy: "slack:U1", at: 0, thread: CHANNEL };
  await store.transaction((tx) => tx.sessions.createUnder("job:occ_1", session));
  return store.sessions.get(session.id);
}

/** A process that runs one of the job's sub-agents, which posts a question. */
function processOf(store: Store, session: SessionRow, { lock }: { readonly lock: TakeLock }) {
  const threads = new JobThreads();
  return (number: number, post: TurnContext["post"]) => {
    const runId = `run_${number}`;
    const parent = { sessionId: session.id, runId: "run_0", callId: "call_1" };
    const body = childEvent(parent, { task: {}, job: { mode: "write", tools: [], budgetUsd: null } });
    const context: TurnContext = { ...NOTHING, runId, post };
    const scope = { store, platform: describePlatform("slack"), context, log: silentLog, lock };
    const own = { ...session, id: `agt_${number}`, task: body.task };
    const posts = threads.postsOf({ session: own, event: { body } }, scope);
    return posts.context.post(`approval:${runId}`, CARD);
  };
}

test("if sub-agents of two processes ask concurrently, one opens the job's thread", async () => {
  const store = await emptyStore();
  const session = await jobSession(store);
  const lock = sharedLock();
  const asks = [processOf(store, session, { lock }), processOf(store, session, { lock })];
  const shown: (string | null)[] = [];
  await Promise.all(
    asks.map((ask, number) =>
      ask(number, async (_key, _card, thread = CHANNEL) => {
        const messageId = `${shown.push(thread.threadId)}.0`;
        // Posting takes longer than the other process's database queries.
        await new Promise((resolve) => setImmediate(resolve));
        for (let round = 0; round < 5; round += 1) await store.sessions.get(session.id);
        return { platform: "slack", channelId: CHANNEL.channelId, messageId };
      }),
    ),
  );
  expect(shown).toEqual([null, "1.0"]);
});

/** Delivers what was kept in the job's journal; `post` posts it. */
async function delivered(
  kept: readonly { readonly markdown: string; readonly files: readonly object[] }[],
  post: TurnContext["post"],
): Promise<void> {
  const store = await emptyStore();
  await jobSession(store);
  await store.transaction(async (tx) => {
    await tx.sessions.openThread("ses_1", { ...CHANNEL, threadId: "1.0" });
    for (const value of kept) await tx.journal.put("run_1", `kept:tool:${value.markdown}`, { value, at: 0 });
  });
  const session = await store.sessions.get("ses_1");
  const context: TurnContext = { ...NOTHING, runId: "run_1", post };
  const scope = { store, platform: describePlatform("slack"), context, log: silentLog, lock: sharedLock() };
  const parent = { sessionId: session.id, runId: "run_0", callId: "call_1" };
  const body = childEvent(parent, { task: {}, job: { mode: "write", tools: [], budgetUsd: null } });
  await new JobThreads().postsOf({ session, event: { body } }, scope).deliverKept();
}

test.each(["defect", "thread_gone", "missing_scope"] as const)(
  "a post deferred to the report that fails with %s blocks neither the run's end nor other deferred posts",
  async (code) => {
    const posted: string[] = [];
    const kept = ["a", "b"].map((markdown) => ({ markdown, files: [] }));
    await delivered(kept, async (_key, { markdown }) => {
      if (posted.push(markdown) === 1) throw new PlatformError(code, "no");
      return { platform: "slack", channelId: CHANNEL.channelId, messageId: "2.0" };
    });
    expect(posted).toEqual(["a", "b"]);
  },
);

test("a post deferred to the report is sent without files if these are forbidden", async () => {
  const posted: (readonly [key: string, markdown: string])[] = [];
  const file = { name: "a.txt", mediaType: "text/plain", data: "YQ==" };
  const long = "word ".repeat(3_000).trim();
  const kept = ["The figures.", long].map((markdown) => ({ markdown, files: [file] }));
  await delivered(kept, async (key, { markdown, files }) => {
    const detail = { platform: "Slack", scope: "files:write" };
    if (files.length > 0) throw new PlatformError("missing_scope", "no", { detail });
    posted.push([key, markdown]);
    return { platform: "slack", channelId: CHANNEL.channelId, messageId: "2.0" };
  });
  const missing = /\n\nI couldn't attach the rest: .*`files:write`/u;
  expect(posted.map(([key]) => key)).toEqual(kept.map(({ markdown }) => `kept:tool:${markdown}`));
  expect(posted.map(([, markdown]) => markdown)).toEqual([
    expect.stringMatching(/^The figures\.\n\n/u),
    expect.stringMatching(/^word word .*…\n\n/u),
  ]);
  for (const [, markdown] of posted) {
    expect(markdown).toMatch(missing);
    expect(markdown.length).toBeLessThanOrEqual(describePlatform("slack").limits.messageChars);
  }
});
