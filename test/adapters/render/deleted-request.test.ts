import { expect, test } from "vitest";
import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { createTaskBoard } from "../../../src/adapters/render/progress/task-board.ts";
import { createRunViews } from "../../../src/adapters/render/run-view.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog, memoryPlatform, runIn } from "./memory-platform.ts";

test.each([
  { tools: 0, posts: [] },
  { tools: 2, posts: ["⏹ Stopped by the deletion of its request after 2 tools. Nothing was changed."] },
])("a run of $tools tools whose request is deleted before its first post posts $posts", async ({ tools, posts }) => {
  const clock = new ManualClock(0);
  const inner = memoryPlatform(clock);
  const platform = pacePlatform(inner, clock);
  const view = createRunViews({ platform, clock, log: memoryLog(), board: createTaskBoard() })(runIn(platform, {}));
  await clock.advance(400);
  const stats = { turns: 1, tools, durationMs: 400, costUsd: null, changedFiles: [] };
  const finished = view.finish({ type: "cancelled", cause: { by: "deletion" } }, stats);
  await clock.runAll();
  await finished;
  expect([...inner.messages.values()].map(({ markdown }) => markdown)).toEqual(posts);
});
