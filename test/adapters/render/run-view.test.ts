import { expect, test } from "vitest";
import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { createTaskBoard } from "../../../src/adapters/render/progress/task-board.ts";
import { createRunViews } from "../../../src/adapters/render/run-view.ts";
import type { RunViewOptions } from "../../../src/core/progress/run-view.ts";
import { PlatformError, ProviderError } from "../../../src/core/protocol/errors.ts";
import type { QueryOutcome, RunStats } from "../../../src/core/protocol/events.ts";
import type { Message } from "../../../src/core/protocol/messages.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog, memoryPlatform, runIn, said, THREAD } from "./memory-platform.ts";

const STATS: RunStats = { turns: 3, tools: 2, durationMs: 6_400, costUsd: 0.004, changedFiles: [] };
const OTHER = { platform: "slack", channelId: "C1", messageId: "x" } as const;

function says(text: string): Message {
  return { id: "msg_1", role: "assistant", content: [{ type: "text", text }], createdAt: 0 };
}

const answered = (text: string): QueryOutcome => ({ type: "end_turn", message: says(text) });

function setup(options: Partial<RunViewOptions> = {}) {
  const clock = new ManualClock(0);
  const inner = memoryPlatform(clock);
  const platform = pacePlatform(inner, clock);
  const log = memoryLog();
  const open = createRunViews({ platform, clock, log, board: createTaskBoard() });
  const run = runIn(platform, { triggerMessageId: "100.1", askedBy: "slack:U0ANA", ...options });
  /** Finishes the view while the clock advances as far as the view needs. */
  const finish = async (view: ReturnType<typeof open>, outcome: QueryOutcome, stats = STATS) => {
    const finished = view.finish(outcome, stats);
    await clock.runAll();
    await finished;
  };
  const thread = () => [...inner.messages.values()].map(({ markdown }) => markdown);
  return { clock, inner, platform, log, open, run, finish, thread };
}

const startTool = { type: "tool_start", toolId: "t1", toolName: "edit", input: {}, title: "config.toml" } as const;
const endTool = { type: "tool_end", toolId: "t1", toolName: "edit", result: textResult("ok"), durationMs: 5 } as const;

test("a run that ends within half a second posts its answer alone", async () => {
  const { clock, inner, open, run, finish, thread } = setup();
  const view = open(run);
  view.show({ type: "turn_start", turn: 1 });
  view.show({ type: "token", text: "Hello." });
  await clock.advance(400);
  await finish(view, answered("Hello."));
  expect(thread()).toEqual(["Hello."]);
  expect(inner.requests).toHaveLength(1);
});

test("after half a second a live message with a Stop button appears", async () => {
  const { clock, inner, open, run } = setup();
  const view = open(run);
  await clock.advance(500);
  expect(inner.requests).toMatchObject([{ kind: "post", at: 500, text: "⏳ **build** · 0 s" }]);
  expect(inner.requests[0]?.message?.buttons).toEqual([{ id: "stop:run_1", label: "Stop", style: "danger" }]);
  await view.suspend();
});

test("the first tool call posts the live message at once; tokens and elapsed time update it", async () => {
  const { clock, inner, open, run } = setup();
  const view = open(run);
  view.show({ type: "turn_start", turn: 1 });
  view.show(startTool);
  await clock.advance(0);
  expect(inner.requests).toMatchObject([{ kind: "post", at: 0 }]);
  view.show(endTool);
  for (const text of ["I ", "change ", "it."]) view.show({ type: "token", text });
  await clock.advance(1_000);
  expect(inner.requests).toMatchObject([
    {},
    { kind: "edit", text: "⏳ **build** · turn 1 · 1 s\n✓ edit `config.toml`\n\nI change it." },
  ]);
  await clock.advance(9_000);
  expect(inner.requests.slice(2)).toMatchObject([
    { kind: "edit", at: 5_000, text: expect.stringContaining("turn 1 · 5 s") },
    { kind: "edit", at: 10_000, text: expect.stringContaining("turn 1 · 10 s") },
  ]);
  await view.suspend();
  await clock.runAll();
  expect(inner.requests).toHaveLength(4);
});

test("the answer is a separate message, and the live message folds into one line with Details", async () => {
  const { clock, inner, open, run, finish, thread } = setup();
  const view = open(run);
  view.show(startTool);
  await clock.advance(2_000);
  view.show({ type: "token", text: "The port is 9090 now." });
  await finish(view, answered("The port is 9090 now."));
  expect(thread()).toEqual(["✓ 3 turns · 2 tools · 6 s · $0.004", "The port is 9090 now."]);
  expect(inner.messages.get("m0")?.buttons).toEqual([
    { id: "details:run_1", label: "Details", style: "default" },
    { id: "good:run_1", label: "👍", style: "default" },
    { id: "bad:run_1", label: "👎", style: "default" },
  ]);
  expect(inner.messages.get("m1")).toMatchObject({ lane: "answer", buttons: [] });
});

const error = new ProviderError("quota", "402", { detail: { providerName: "Anthropic" } });
const changed = { ...STATS, changedFiles: ["config.toml"] };
const endings: { name: string; outcome: QueryOutcome; stats: RunStats; posts: string[]; fold: string }[] = [
  {
    name: "stopped",
    outcome: { type: "cancelled", cause: { by: "person", name: "@ana" } },
    stats: changed,
    posts: [],
    fold: "⏹ Stopped by @ana after 2 tools. config.toml was already changed.",
  },
  {
    name: "stopped before anything was changed",
    outcome: { type: "cancelled", cause: { by: "person", name: "@ana" } },
    stats: { ...STATS, tools: 0 },
    posts: [],
    fold: "⏹ Stopped by @ana. Nothing was changed.",
  },
  {
    name: "the turn limit",
    outcome: { type: "max_turns", turns: 50 },
    stats: { ...STATS, changedFiles: ["a", "b", "c", "d", "e"] },
    posts: ["✗ Stopped after 50 turns without an end. a, b, c and 2 more were already changed."],
    fold: "✗ 3 turns · 2 tools · 6 s · $0.004",
  },
  {
    name: "the budget",
    outcome: { type: "budget_exceeded", scope: "run", costUsd: 0.468, limitUsd: 0.5 },
    stats: STATS,
    posts: [
      "✗ Stopped at $0.47 of $0.50 for this run; the next call could pass the limit. An operator can raise `maxBudgetUsd`.",
    ],
    fold: "✗ 3 turns · 2 tools · 6 s · $0.004",
  },
  {
    name: "an error",
    outcome: { type: "error", error },
    stats: { ...STATS, turns: 1, tools: 1, costUsd: null },
    posts: ["✗ The Anthropic account has reached its spending or usage limit. Raise it, or set a fallback model."],
    fold: "✗ 1 turn · 1 tool · 6 s",
  },
  {
    name: "an answer without a word",
    outcome: answered("  \n"),
    stats: { ...STATS, tools: 0 },
    posts: ["⚠ The model ended without an answer. Ask again, or rephrase it."],
    fold: "✓ 3 turns · 6 s · $0.004",
  },
  {
    name: "an answer that was cut off four times",
    outcome: { type: "max_tokens", partial: says("Half of it") },
    stats: STATS,
    posts: ["Half of it"],
    fold: "⚠ 3 turns · 2 tools · 6 s · $0.004",
  },
];

test.each(endings)("$name is stated in the thread and in the fold", async ({ outcome, stats, posts, fold }) => {
  const { clock, open, run, finish, thread } = setup();
  const view = open(run);
  await clock.advance(600);
  await finish(view, outcome, stats);
  expect(thread()).toEqual([fold, ...posts]);
});

const partial = says("Half of it");
test.each<{ outcome: QueryOutcome; footer: RegExp }>([
  { outcome: { type: "max_tokens", partial }, footer: /^⚠ The answer was longer than the model may write/u },
  { outcome: { type: "max_turns", turns: 3, partial }, footer: /^✗ Stopped after 3 turns without an end\.$/u },
])("an answer cut off by $outcome.type ends with a notice", async ({ outcome, footer }) => {
  const { inner, open, run, finish } = setup();
  await finish(open(run), outcome);
  expect(inner.messages.get("m0")).toMatchObject({ markdown: "Half of it", footer: expect.stringMatching(footer) });
});

test("a stop before the first live message is confirmed by a message", async () => {
  const { open, run, finish, thread } = setup();
  await finish(open(run), { type: "cancelled", cause: { by: "person", name: "@ana" } }, { ...STATS, tools: 0 });
  expect(thread()).toEqual(["⏹ Stopped by @ana. Nothing was changed."]);
});

test("a long answer is posted in parts, a very long one as its beginning and a file", async () => {
  const paragraphs = (n: number) =>
    Array.from({ length: n }, (_, i) => `Paragraph ${i} ${"word ".repeat(30)}`.trim()).join("\n\n");
  const parts = setup();
  await parts.finish(parts.open(parts.run), answered(paragraphs(5)));
  expect(parts.thread().length).toBeGreaterThan(1);
  expect(parts.thread().join("\n\n")).toBe(paragraphs(5));

  const file = setup();
  await file.finish(file.open(file.run), answered(paragraphs(20)));
  const [message] = file.inner.messages.values();
  expect(file.thread()).toHaveLength(1);
  expect(message?.markdown).toMatch(/^Paragraph 0 [\s\S]*The answer is long; the full text is in the file\.$/u);
  expect(message?.markdown.length).toBeLessThanOrEqual(400);
  expect(message?.files.map(({ name, data }) => [name, new TextDecoder().decode(data)])).toEqual([
    ["answer.md", paragraphs(20)],
  ]);
});

test("a delayed fold does not delay the run's end, and is still sent", async () => {
  const { clock, inner, platform, open, run, thread } = setup();
  const view = open(run);
  await clock.advance(600);
  const busy = Array.from({ length: 8 }, () => platform.edit(OTHER, said("busy", "progress")));
  const finished = view.finish(answered("Done."), STATS);
  await clock.advance(2_000);
  await finished;
  expect(thread()).toContain("Done.");
  expect(inner.messages.get("m0")?.markdown).toBe("⏳ **build** · 0 s");
  await clock.runAll();
  await Promise.all(busy);
  expect(inner.messages.get("m0")?.markdown).toBe("✓ 3 turns · 2 tools · 6 s · $0.004");
});

test("an answer does not wait for the edit of its own live message", async () => {
  const { clock, platform, open, run, thread } = setup();
  const view = open(run);
  await clock.advance(600);
  const busy = Array.from({ length: 40 }, () => platform.edit(OTHER, said("busy", "progress")));
  view.show({ type: "token", text: "Do" });
  await clock.advance(2_000);
  const finished = view.finish(answered("Done."), STATS);
  await clock.advance(0);
  expect(thread()).toContain("Done.");
  await clock.runAll();
  await Promise.all([finished, ...busy]);
});

test("stopping the platform waits briefly for folds", async () => {
  const { clock, inner, platform, open, run } = setup();
  const view = open(run);
  await clock.advance(600);
  const release = inner.hold("edit");
  const finished = view.finish(answered("Done."), STATS);
  await clock.advance(100);
  let stopped = false;
  const stop = platform.stop().then(() => {
    stopped = true;
    return stopped;
  });
  await clock.advance(1_500);
  expect(stopped).toBe(false);
  await clock.advance(500);
  expect(await stop).toBe(true);
  release();
  await clock.runAll();
  await finished;
});

test("a resumed run keeps editing its live message with its earlier progress, and folds it", async () => {
  const notice = "⚠ claude-opus-5-5 is overloaded; going on with gpt-6-sol.";
  const told = `⚠ It went silent; trying again (2 of 2).\n${notice}`;
  const { clock, inner, platform, open, run, finish, thread } = setup();
  const first = open(run);
  first.show(startTool);
  await clock.advance(100);
  await first.suspend();
  const second = open({
    ...run,
    isLive: true,
    toolsBefore: 1,
    noticesBefore: ["⚠ It went silent; trying again (1 of 2).", "⚠ It went silent; trying again (2 of 2).", notice],
    post: async (key, message) => (await platform.find(THREAD, `run_1:${key}`, 0)) ?? run.post(key, message),
  });
  await clock.advance(100);
  expect(inner.messages.size).toBe(1);
  second.show({ type: "turn_start", turn: 2 });
  await clock.advance(1_000);
  expect(thread()).toEqual([`⏳ **build** · turn 2 · 1 s\n✓ 1 earlier step\n${told}`]);
  await finish(second, answered("Done."));
  expect(thread()).toEqual([`${told}\n✓ 3 turns · 2 tools · 6 s · $0.004`, "Done."]);
});

test("finishing twice posts nothing twice", async () => {
  const { clock, open, run, finish, thread } = setup();
  const view = open(run);
  await clock.advance(600);
  await finish(view, answered("Done."));
  await finish(view, answered("Done."));
  expect(thread()).toEqual(["✓ 3 turns · 2 tools · 6 s · $0.004", "Done."]);
});

test("while posting is rate-limited, a reaction appears first and the live message as soon as possible", async () => {
  const { clock, inner, platform, open, run } = setup();
  const others = ["a", "b", "c"].map((key) => platform.post(THREAD, said(key), key));
  const view = open(run);
  await clock.advance(600);
  expect(inner.requests.at(-1)).toMatchObject({ kind: "react", at: 500, where: "100.1", text: "working" });
  await clock.advance(2_000);
  await Promise.all(others);
  expect(inner.requests.at(-1)).toMatchObject({ kind: "post", at: 2_000, text: "⏳ **build** · 2 s" });
  await view.suspend();
});

test("a reaction still waiting at the run's end is dropped and does not delay the thread's next run", async () => {
  const { clock, inner, platform, open, run, thread } = setup();
  await Promise.all(Array.from({ length: 3 }, (_, index) => platform.react(THREAD, `90.${index}`, "seen")));
  const view = open(run);
  view.show({ type: "steered", eventKeys: ["slack:T1:C1:200.2"] });
  const finished = view.finish(answered("Done."), STATS);
  await clock.advance(0);
  await finished;
  expect(thread()).toEqual(["Done."]);
  await clock.runAll();
  expect(inner.requests.filter(({ where }) => where === "200.2")).toEqual([]);
});

test("an answer overtakes a live message that is not posted yet", async () => {
  const { clock, inner, platform, open, run, finish, thread } = setup();
  const others = ["a", "b"].map((key) => platform.post(THREAD, said(key), key));
  await Promise.all(others);
  const view = open(run);
  await clock.advance(600);
  await finish(view, answered("Done."));
  expect(thread()).toEqual(["a", "b", "Done."]);
  expect(inner.requests.filter(({ kind }) => kind === "post")).toHaveLength(3);
});

test("messages read during the run get a reaction, and statuses are shown and stay in the folded message", async () => {
  const { clock, inner, open, run, finish, thread } = setup();
  const view = open(run);
  view.show({ type: "steered", eventKeys: ["slack:T1:C1:200.2", "slack:T1:C1:200.3"] });
  view.show({ type: "status", text: "⚠ claude-opus-5-5 is overloaded; going on with gpt-6-sol." });
  await clock.advance(0);
  expect(inner.requests.filter(({ kind }) => kind === "react").map(({ where, text }) => [where, text])).toEqual([
    ["200.2", "seen"],
    ["200.3", "seen"],
  ]);
  expect(thread()[0]).toContain("⚠ claude-opus-5-5 is overloaded");
  await finish(view, answered("Done."));
  expect(thread()[0]).toBe(
    "⚠ claude-opus-5-5 is overloaded; going on with gpt-6-sol.\n✓ 3 turns · 2 tools · 6 s · $0.004",
  );
});

test.each(["thread_gone", "missing_scope"] as const)(
  "an answer that fails with %s is logged and sent privately, and the run ends",
  async (code) => {
    const { inner, open, run, finish, thread, log } = setup();
    inner.failNext("post", new PlatformError(code, "no", { detail: { scope: "chat:write" } }));
    await finish(open(run), answered("Not for the thread."));
    expect(thread()).toEqual([]);
    expect(log.lines.at(-1)).toMatchObject({
      level: "error",
      event: "answer_undeliverable",
      fields: { scope: "chat:write" },
    });
    expect(inner.requests.map(({ kind, where, text }) => [kind, where, text])).toEqual([
      ["postEphemeral", "slack:U0ANA", expect.stringContaining("✗")],
      ["postEphemeral", "slack:U0ANA", "Not for the thread."],
    ]);
  },
);

test("an answer that cannot be delivered at all leaves the run open until the permission is back", async () => {
  const { inner, open, run } = setup();
  const refused = new PlatformError("missing_scope", "no", { detail: { scope: "chat:write" } });
  inner.failNext("post", refused);
  inner.failNext("postEphemeral", refused);
  await expect(open(run).finish(answered("Later."), STATS)).rejects.toBe(refused);
});

test.each([
  { name: "the file that comes instead", refusals: 1, text: "It is in the file." },
  { name: "the word about it", refusals: 2, text: "✗ I couldn't post my answer" },
])("remedies for a refused ending appear below $name", async ({ refusals, text }) => {
  const { inner, open, run, finish } = setup();
  for (let n = 0; n < refusals; n++) inner.failNext("post", new PlatformError("defect", "invalid_blocks"));
  await finish(open(run), { type: "max_turns", turns: 3, partial: says("| a |") });
  const [said] = inner.messages.values();
  expect(said?.markdown).toContain(text);
  expect(said?.buttons).toMatchObject([{ label: "Continue" }]);
});

test("an answer whose file is forbidden is posted as messages, with the reason", async () => {
  const { inner, open, run, finish, thread } = setup();
  const long = Array.from({ length: 8 }, (_, index) => `${index} ${"word ".repeat(60)}`.trim()).join("\n\n");
  inner.failNext("post", new PlatformError("missing_scope", "no", { detail: { scope: "files:write" } }));
  await finish(open(run), answered(long));
  expect(thread().join(" ").split(/\s+/u)).toEqual(long.split(/\s+/u));
  expect([...inner.messages.values()].at(-1)?.footer).toContain("`files:write`");
});

test("an answer that could not be posted leaves the run open", async () => {
  const { inner, open, run } = setup();
  inner.failNext("post", new PlatformError("platform_auth", "token_revoked"));
  await expect(open(run).finish(answered("Later."), STATS)).rejects.toMatchObject({ code: "platform_auth" });
});

test("a live message that cannot be posted does not block the answer", async () => {
  const { clock, inner, open, run, finish, thread } = setup();
  inner.failNext("post", new PlatformError("platform_failed", "500"));
  const view = open(run);
  await clock.advance(600);
  await finish(view, answered("Done."));
  expect(thread()).toEqual(["Done."]);
});
