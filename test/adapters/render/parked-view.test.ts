import { expect, test } from "vitest";
import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { createTaskBoard } from "../../../src/adapters/render/progress/task-board.ts";
import { createRunViews } from "../../../src/adapters/render/run-view.ts";
import type { RunViewOptions } from "../../../src/core/progress/run-view.ts";
import type { TaskProgress } from "../../../src/core/protocol/events.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog, memoryPlatform, runIn } from "./memory-platform.ts";

const TASK: TaskProgress = {
  id: "agt_1",
  callId: "t1",
  agent: "worker",
  description: "part A",
  state: "working",
  tools: 1,
  elapsedMs: 2_000,
  note: "",
};

/** A run that has parked on a call of this tool, before the view knows anything of what the call waits for. */
async function parkedOn(toolName: string, options: Partial<RunViewOptions> = {}) {
  const clock = new ManualClock(0);
  const inner = memoryPlatform(clock);
  const platform = pacePlatform(inner, clock);
  const board = createTaskBoard();
  const view = createRunViews({ platform, clock, log: memoryLog(), board })(runIn(platform, options));
  view.show({ type: "tool_start", toolId: "t1", toolName, input: {}, title: "part A" });
  view.show({ type: "tool_waits", toolId: "t1", what: "waits for worker" });
  view.show({ type: "parked", on: "call" });
  const parked = view.park();
  await clock.runAll();
  await parked;
  return {
    clock,
    board,
    view,
    hold: (kind: "edit") => inner.hold(kind),
    shown: () => [...inner.messages.values()].map(({ markdown }) => markdown),
  };
}

test("a run parked before its sub-agent has started shows the sub-agent's progress afterwards", async () => {
  const { clock, board, view, shown } = await parkedOn("agent");
  expect(shown()).toEqual(["⏸ **build** · waits for worker\n⏸ agent `part A` · waits for worker"]);
  board.publish("run_1", TASK);
  await clock.advance(1_000);
  expect(shown()).toEqual([expect.stringMatching(/^⏳ \*\*build\*\* · \d+ s\n⏳ worker: part A · 1 tool · 2 s$/u)]);
  board.publish("run_1", { ...TASK, state: "waiting", note: "waits for @ana" });
  await clock.advance(1_000);
  const waits = "⏸ **build** · waits for worker\n⏸ worker: part A · 1 tool · 2 s · waits for @ana";
  expect(shown()).toEqual([waits]);
  await view.suspend();
  expect(clock.pending).toBe(0);
});

test("a parked run without sub-agents shows no further progress", async () => {
  const { clock, board, shown } = await parkedOn("sleep");
  const before = shown();
  board.publish("run_1", TASK);
  await clock.advance(1_000);
  expect(shown()).toEqual(before);
});

test("a parked run that continues in another process is shown by that process only", async () => {
  const state = { isOurs: true };
  const { clock, board, shown } = await parkedOn("agent", { isOurs: async () => state.isOurs });
  const before = shown();
  state.isOurs = false;
  board.publish("run_1", TASK);
  await clock.advance(1_000);
  expect(shown()).toEqual(before);
  state.isOurs = true;
  board.publish("run_1", { ...TASK, tools: 2 });
  await clock.advance(1_000);
  expect(shown()).not.toEqual(before);
});

test("if another process ends a parked run while an edit is on its way, its final state is shown again", async () => {
  const state = { isOurs: true, repeats: 0 };
  const { clock, board, hold, shown } = await parkedOn("agent", {
    isOurs: async () => state.isOurs,
    repeatFinal: async () => void (state.repeats += 1),
  });
  board.publish("run_1", TASK);
  await clock.advance(1_000);
  expect(shown()).toEqual([expect.stringContaining("worker: part A · 1 tool")]);
  expect(state.repeats).toBe(0);
  const release = hold("edit");
  board.publish("run_1", { ...TASK, tools: 2 });
  await clock.advance(1_000);
  state.isOurs = false;
  release();
  await clock.advance(0);
  expect(shown()).toEqual([expect.stringContaining("worker: part A · 2 tools")]);
  expect(state.repeats).toBe(1);
  // What is not sent any more overwrites nothing.
  board.publish("run_1", { ...TASK, tools: 3 });
  await clock.advance(1_000);
  expect(state.repeats).toBe(1);
});
