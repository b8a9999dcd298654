import { expect, test } from "vitest";
import { runDetails, stepsIn } from "../../../src/adapters/web/page/run-details.ts";
import { initialState, messagesOf, type PageState, reduce } from "../../../src/adapters/web/page/state.ts";
import type { MessageBody, PageMessage, ServerFrame } from "../../../src/adapters/web/wire.ts";

const STOP = [{ id: "stop:run_1", label: "Stop", style: "danger" as const }];
const ALLOW = [{ id: "allow:1", label: "Allow once", style: "primary" as const }];

function body(markdown: string, extra: Partial<MessageBody> = {}): MessageBody {
  return { by: "deckhand", markdown, tone: "plain", buttons: [], files: [], signs: [], ...extra };
}

function message(seq: number, content: MessageBody, place: Partial<PageMessage> = {}): PageMessage {
  return { id: `m${seq}`, threadId: "t", position: seq, seq, at: 0, body: content, ...place };
}

function hear(state: PageState, heard: PageMessage): PageState {
  return reduce(state, { type: "frame", frame: { type: "message", message: heard, thread: null } });
}

test.each([
  { name: "nothing of ours", bodies: [body("✓ 3 turns · $1.00", { by: "person" })], state: "none", costUsd: null },
  { name: "an answer alone", bodies: [body("Just an answer, 3 turns long, for $5.")], state: "none", costUsd: null },
  {
    name: "a live message",
    bodies: [body("⏳ **build** · turn 2 · 6 s", { buttons: STOP })],
    state: "working",
    costUsd: null,
  },
  { name: "a folded run", bodies: [body("✓ 3 turns · 2 tools · 6 s · $0.004")], state: "done", costUsd: 0.004 },
  { name: "a failed run", bodies: [body("✗ 3 turns · 6 s · $0.10")], state: "failed", costUsd: 0.1 },
  { name: "a stopped run", bodies: [body("⏹ Stopped by @ana after 2 tools.")], state: "stopped", costUsd: null },
  {
    name: "two runs",
    bodies: [body("✓ 1 turn · $0.25"), body("Answer."), body("✓ 2 turns · $0.50")],
    state: "done",
    costUsd: 0.75,
  },
  {
    name: "a question that waits",
    bodies: [body("✓ 1 turn · $0.25"), body("⏸ **Run a command?**", { buttons: ALLOW })],
    state: "waiting",
    costUsd: 0.25,
  },
  {
    name: "a question that is decided",
    bodies: [body("✓ 1 turn · $0.25"), body("✓ Allowed once by @ana")],
    state: "done",
    costUsd: 0.25,
  },
])("the run of a thread with $name", ({ bodies, state, costUsd }) => {
  const messages = bodies.map((content, index) => message(index + 1, content));
  const details = runDetails(messages, new Map());
  expect({ state: details.state, costUsd: details.costUsd }).toEqual({ state, costUsd });
});

test("steps are the signed lines below a live message's head, whatever its text says", () => {
  const text = "⏳ **build** · turn 1\n✓ read `a` · 3 lines\n✗ bash · stopped after 60 s\n\nNow I will look.";
  expect(stepsIn(body(text, { buttons: STOP }))).toEqual([
    { sign: "✓", text: "read `a` · 3 lines" },
    { sign: "✗", text: "bash · stopped after 60 s" },
  ]);
});

test("the steps and changed files that a live message has shown stay when it folds, but none goes on", () => {
  const live = body("⏳ **build**\n✓ read `a`\n✓ edit `b.toml`\n✗ write `c`\n⏳ edit `d`", { buttons: STOP });
  let state = initialState("t", []);
  state = hear(state, message(1, live, { id: "live" }));
  state = hear(state, message(2, body("✓ 2 turns · $0.01"), { id: "live", position: 1 }));
  const details = runDetails(messagesOf(state, "t"), state.steps);
  expect(details.steps.map(({ text }) => text)).toEqual(["read `a`", "edit `b.toml`", "write `c`"]);
  expect(details.changedFiles).toEqual(["b.toml"]);
});

test.each([
  { name: "all were seen", steps: ["read `a`", "edit `b`"], tools: "2 tools", more: false },
  { name: "the last went by unseen", steps: ["read `a`"], tools: "2 tools", more: true },
  { name: "none was seen", steps: [], tools: "1 tool", more: true },
  {
    name: "lines stand for several",
    steps: ["14 earlier steps", "read 6 files, searched 2 patterns"],
    tools: "22 tools",
    more: false,
  },
  { name: "a path looks like a count", steps: ["read `3 files`"], tools: "2 tools", more: true },
])("whether a run had more steps than are shown, when $name", ({ steps, tools, more }) => {
  const lines = ["⏳ **build** · turn 1", ...steps.map((step) => `✓ ${step}`)].join("\n");
  const live = hear(initialState("t", []), message(1, body(lines, { buttons: STOP }), { id: "live" }));
  expect(runDetails(messagesOf(live, "t"), live.steps).hasMoreSteps).toBe(false);
  const over = hear(live, message(2, body(`✓ 2 turns · ${tools} · 1 s`), { id: "live", position: 1 }));
  expect(runDetails(messagesOf(over, "t"), over.steps).hasMoreSteps).toBe(more);
});

test("an older state of a message never replaces a newer one, in whatever order they come", () => {
  let state = hear(initialState("t", []), message(5, body("new"), { id: "m", position: 1 }));
  const late: ServerFrame = {
    type: "thread",
    threadId: "t",
    before: null,
    messages: [message(3, body("old"), { id: "m", position: 1 })],
    more: false,
  };
  state = reduce(state, { type: "frame", frame: late });
  expect(messagesOf(state, "t").map((one) => one.body.markdown)).toEqual(["new"]);
});

test("a page that starts afresh forgets what it knew, but not what is on its way", () => {
  const sending = { clientId: "c", threadId: "t", opens: false, text: "hi", files: [], at: 0, failure: null };
  let state = hear(initialState("t", [sending]), message(5, body("gone"), { id: "m", position: 1 }));
  const welcome: ServerFrame = { type: "welcome", threads: [], seq: 9, changes: null };
  state = reduce(state, { type: "frame", frame: welcome });
  expect(messagesOf(state, "t")).toEqual([]);
  expect(state.sending).toEqual([sending]);
  expect(state.lastSeq).toBe(9);
});

test("news of another thread marks it unread until it is opened; one's own words do not", () => {
  let state = initialState("elsewhere", []);
  state = hear(state, message(1, body("mine", { by: "person" })));
  expect([...state.unread]).toEqual([]);
  state = hear(state, message(2, body("news")));
  expect([...state.unread]).toEqual(["t"]);
  state = reduce(state, { type: "opened", threadId: "t" });
  expect([...state.unread]).toEqual([]);
});
