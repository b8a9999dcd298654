import { expect, test } from "vitest";
import { createTaskBoard } from "../../../../src/adapters/render/progress/task-board.ts";
import { taskLines } from "../../../../src/adapters/render/progress/task-lines.ts";
import { createTaskViews } from "../../../../src/adapters/render/progress/task-view.ts";
import type { TaskProgress } from "../../../../src/core/protocol/events.ts";
import { lineText } from "../../../../src/core/protocol/shown.ts";
import { textResult } from "../../../../src/core/protocol/tool-result.ts";
import { childEvent } from "../../../support/child-event.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

const TASK: TaskProgress = {
  id: "agt_1",
  callId: "call_1",
  agent: "explorer",
  description: "find usages",
  state: "working",
  tools: 3,
  elapsedMs: 8_400,
  note: "",
};

const lines: readonly { name: string; task: Partial<TaskProgress>; line: string }[] = [
  { name: "at work", task: {}, line: "⏳ explorer: find usages · 3 tools · 8 s" },
  { name: "without a tool yet", task: { tools: 0 }, line: "⏳ explorer: find usages · 8 s" },
  { name: "queued", task: { state: "queued", tools: 0 }, line: "⏳ explorer: find usages · queued" },
  {
    name: "asking",
    task: { state: "waiting", note: "waits for @ana" },
    line: "⏸ explorer: find usages · 3 tools · 8 s · waits for @ana",
  },
  { name: "done", task: { state: "done", tools: 1 }, line: "✓ explorer: find usages · 1 tool · 8 s" },
  {
    name: "failed",
    task: { state: "failed" },
    line: "✗ explorer: find usages · 3 tools · 8 s · did not finish",
  },
  { name: "stopped", task: { state: "stopped" }, line: "⏹ explorer: find usages · 3 tools · 8 s · stopped" },
  {
    name: "with something to know",
    task: { note: "⚠ trying again" },
    line: "⏳ explorer: find usages · 3 tools · 8 s · ⚠ trying again",
  },
  {
    name: "with a name over lines",
    task: { description: "find\nusages" },
    line: "⏳ explorer: find usages · 3 tools · 8 s",
  },
];

test.each(lines)("a sub-agent $name", ({ task, line }) => {
  expect(taskLines([{ ...TASK, ...task }]).map(lineText)).toEqual([line]);
});

test("with many sub-agents, ended ones are folded into a count before active ones", () => {
  const all = Array.from(
    { length: 14 },
    (_, index): TaskProgress => ({ ...TASK, id: `agt_${index}`, state: index < 3 ? "done" : "working" }),
  );
  const shown = taskLines(all).map(lineText);
  expect(shown).toHaveLength(12);
  expect([shown[0], shown.at(-1)]).toEqual(["✓ 3 earlier sub-agents", "⏳ 1 more sub-agent"]);
});

const EVENT = childEvent(
  { sessionId: "ses_1", runId: "run_1", callId: "call_1" },
  { task: { agent: "explorer", description: "find usages", background: false } },
);

test("a sub-agent posts nothing; its root run is notified of its progress until it unsubscribes", async () => {
  const clock = new ManualClock(0);
  const board = createTaskBoard();
  const heard: TaskProgress[] = [];
  const following = board.follow("run_1", (task) => heard.push(task));
  const nothing = () => Promise.reject(new Error("a sub-agent posts nothing"));
  const view = createTaskViews(
    { board, clock },
    EVENT,
  )({
    runId: "run_2",
    sessionId: "agt_1",
    thread: { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" },
    agentName: "explorer",
    startedAt: 0,
    isLive: false,
    isQueued: false,
    toolsBefore: 2,
    noticesBefore: [],
    tasks: [],
    triggerMessageId: null,
    askedBy: null,
    closes: nothing,
    finalise: () => Promise.resolve(true),
    repeatFinal: () => Promise.resolve(),
    post: nothing,
  });
  view.show({ type: "status", text: "⚠ trying again" });
  view.show({ type: "tool_end", toolId: "t", toolName: "read", result: textResult("ok"), durationMs: 1 });
  view.show({ type: "parked", on: "approval" });
  await clock.advance(5_000);
  expect(heard.at(-1)).toEqual({ ...TASK, state: "waiting", elapsedMs: 5_000, note: "waiting for a decision" });
  const waitsIn = (toolName: string, what: string) => {
    view.show({ type: "turn_start", turn: 2 });
    view.show({ type: "tool_start", toolId: "t2", toolName, input: {}, title: "" });
    view.show({ type: "tool_waits", toolId: "t2", what });
    view.show({ type: "parked", on: "call" });
    return heard.at(-1);
  };
  expect(waitsIn("agent", "waits for worker")).toMatchObject({ state: "working", note: "waits for worker" });
  expect(waitsIn("ask_user_question", "waits for @ana")).toMatchObject({ state: "waiting", note: "waits for @ana" });
  await view.park();
  expect(clock.pending).toBe(0);
  expect(board.follow("run_1", () => {}).tasks).toEqual([heard.at(-1)]);
  following.stop();
  const before = heard.length;
  await view.finish(
    { type: "max_turns", turns: 1 },
    { turns: 1, tools: 4, durationMs: 5_000, costUsd: 0, changedFiles: [] },
  );
  expect(heard).toHaveLength(before);
});
