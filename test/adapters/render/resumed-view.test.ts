import { expect, test } from "vitest";
import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { createTaskBoard } from "../../../src/adapters/render/progress/task-board.ts";
import { createRunViews } from "../../../src/adapters/render/run-view.ts";
import type { Message } from "../../../src/core/protocol/messages.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { LIMITS, memoryLog, memoryPlatform, runIn, said, THREAD } from "./memory-platform.ts";

test("a resumed run that ends at once folds its live message, even if the channel's rate is used up", async () => {
  const clock = new ManualClock(0);
  const inner = memoryPlatform(clock);
  const platform = pacePlatform(inner, clock);
  await platform.post(THREAD, said("⏳ **build**", "first"), "run_1:live");
  for (let posts = 1; posts < LIMITS.postsPerChannel.burst; posts += 1) {
    await platform.post(THREAD, said("Other."), `run_2:${posts}`);
  }
  expect(platform.canPostFirst(THREAD)).toBe(false);
  const view = createRunViews({ platform, clock, log: memoryLog(), board: createTaskBoard() })(
    runIn(platform, {
      isLive: true,
      post: async (key, message) =>
        (await platform.find(THREAD, `run_1:${key}`, 0)) ?? platform.post(THREAD, message, `run_1:${key}`),
    }),
  );
  const message: Message = { id: "m1", role: "assistant", content: [{ type: "text", text: "Done." }], createdAt: 0 };
  const stats = { turns: 1, tools: 0, changedFiles: [], durationMs: 6_000, costUsd: null };
  const finished = view.finish({ type: "end_turn", message }, stats);
  await clock.runAll();
  await finished;
  expect([...inner.messages.values()].map(({ markdown }) => markdown)).toEqual(["✓ 1 turn · 6 s", "Other.", "Done."]);
});
