import { expect, test } from "vitest";
import { projectHistory } from "../../../src/core/context/projection.ts";
import type { Projection } from "../../../src/core/events/projection.ts";
import { forkedHistory } from "../../../src/core/history/fork.ts";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import type { ContentBlock, Message } from "../../../src/core/protocol/messages.ts";
import { describePlatform } from "../../../src/platforms.ts";
import { intakeOptions, mention, privateText, slash } from "../inbound/intake-fixture.ts";

let messages = 0;

function said(role: "user" | "assistant", ...content: ContentBlock[]): Message {
  messages += 1;
  return { id: `m${messages}`, role, content, createdAt: messages };
}

const use = (id: string): ContentBlock => ({ type: "tool_use", id, name: "read", input: { path: id } });
const result = (id: string): ContentBlock => ({
  type: "tool_result",
  toolUseId: id,
  content: [{ type: "text", text: `content of ${id} `.repeat(20) }],
  isError: false,
});
const words = (text: string): ContentBlock => ({ type: "text", text });

const THINKING: ContentBlock = { type: "thinking", thinking: "hm", origin: { provider: "a", model: "b" } };

/** Three calls, each with its result. */
const HISTORY = [
  said("user", words("first")),
  said("assistant", THINKING, use("c1")),
  said("user", result("c1")),
  said("assistant", use("c2")),
  said("user", result("c2")),
  said("assistant", use("c3")),
  said("user", result("c3")),
  said("assistant", words("done")),
];

const NOTHING: Projection = { number: 1, evictedResults: 0, summary: null, failures: 0 };
const summary = { text: "It was about c1.", messages: 3, madeAt: 6 };

test.each<[string, Projection, number]>([
  ["nothing was shortened", NOTHING, 8],
  ["two results were evicted", { ...NOTHING, evictedResults: 2 }, 8],
  ["the head was summarised", { ...NOTHING, summary }, 5],
  ["both", { ...NOTHING, evictedResults: 2, summary }, 5],
])("if %s, requests of the fork contain the same history as those of the session", (_name, projection, count) => {
  const fork = forkedHistory(HISTORY, projection);
  expect(fork.messages).toHaveLength(count);
  const title = () => "path";
  expect(projectHistory(fork.messages, fork.projection, title)).toEqual(projectHistory(HISTORY, projection, title));
});

test("evictions of the active run do not evict later results of the fork", () => {
  const fork = forkedHistory(HISTORY.slice(0, 3), { ...NOTHING, evictedResults: 3 });
  expect(fork.projection.evictedResults).toBe(1);
});

async function forking() {
  const { options, announced, session } = await intakeOptions();
  const link = ({ threadId }: { threadId: string | null }) => `https://chat.test/${threadId}`;
  const receive = createIntake({ ...options, describe: (name) => ({ ...describePlatform(name), link }) });
  await receive(mention("begin"));
  const from = await session();
  if (from === null) throw new Error("a session");
  const { store, runtime } = options;
  await store.transaction(async (tx) => {
    await tx.sessions.changeSettings(from.id, { mode: "read" }, runtime.clock.now());
    for (const message of HISTORY) await tx.messages.append(from.id, "run_before", message);
  });
  return { options, receive, announced, from, session };
}

test("/fork opens a thread whose session has the history, with links both ways", async () => {
  const { options, receive, announced, from, session } = await forking();
  const answer = privateText(await receive(mention("/fork")));
  expect(answer).toBe("✓ [A new thread](https://chat.test/m1) continues from here.");
  expect(announced.map(({ thread, message }) => [thread.threadId, message.markdown])).toEqual([
    [
      null,
      "Fork of “first”: **ana** continues with **build** here.\nStarted from [another thread](https://chat.test/1).",
    ],
    [
      "m1",
      "I have the conversation so far (8 messages) and its settings; budgets start from zero. Write here to continue.",
    ],
    ["1", "**ana** continues from here in [a new thread](https://chat.test/m1). This thread stays as it is."],
  ]);
  expect(new Set(announced.map(({ key }) => key)).size).toBe(3);
  const fork = await session({ ...from.thread, threadId: "m1" });
  expect(fork).toMatchObject({ agent: "build", settings: { mode: "read" }, people: ["slack:U1"] });
  const [before, copied] = await Promise.all([
    options.store.messages.list(from.id),
    options.store.messages.list(fork?.id ?? ""),
  ]);
  expect(copied.map(({ id: _id, ...message }) => message)).toEqual(before.map(({ id: _id, ...message }) => message));
});

test("messages of the active run are not part of a fork", async () => {
  const { options, receive, from, session } = await forking();
  const { store, runtime } = options;
  await store.transaction(async (tx) => {
    await tx.runs.begin({ id: "run_now", sessionId: from.id, eventSeq: 77, at: runtime.clock.now() });
    await tx.messages.append(from.id, "run_now", said("assistant", use("open")));
  });
  await receive(mention("/fork"));
  const fork = await session({ ...from.thread, threadId: "m1" });
  const copied = await options.store.messages.list(fork?.id ?? "");
  expect(copied).toHaveLength(8);
  expect(copied.at(-1)?.content).toEqual([words("done")]);
});

test("/fork explains that there is nothing to fork, or that no thread can be opened", async () => {
  const { options } = await intakeOptions();
  const receive = createIntake(options);
  expect(privateText(await receive(slash("fork")))).toContain("nothing to fork");
  const dm = {
    thread: { platform: "discord", workspaceId: "@me", channelId: "D1", threadId: null },
    channel: { id: "D1", name: "ana", kind: "dm" },
  } as const;
  await receive(mention("begin", dm));
  expect(privateText(await receive(mention("/fork", dm)))).toContain("I can't fork it");
});
