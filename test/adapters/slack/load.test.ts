import { expect, test } from "vitest";
import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { createTaskBoard } from "../../../src/adapters/render/progress/task-board.ts";
import { createRunViews } from "../../../src/adapters/render/run-view.ts";
import { withStatus } from "../../../src/adapters/render/status-view.ts";
import type { InboundMessage } from "../../../src/core/platform/inbound.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { begin } from "../../contracts/platform-steps.ts";
import { openSlackHarness } from "../../support/slack/slack-harness.ts";
import { finaliserOf } from "../render/memory-platform.ts";

const THREADS = 50;
const CHANNELS = 10;
/** Tokens of each answer, spread over `STREAM_MS`. */
const TOKENS = 2_000;
const STREAM_MS = 4_000;
const STEPS = 40;

test("50 concurrent runs in 10 channels: no 429, every answer complete in time, progress within a second", async () => {
  await using harness = await openSlackHarness();
  const { server, log } = harness;
  const { clock } = systemRuntime();
  const inbox = await begin(harness);
  const platform = pacePlatform(harness.platform, clock);
  const open = withStatus(createRunViews({ platform, clock, log, board: createTaskBoard() }), { platform, clock, log });
  const { signal } = new AbortController();
  const aSecondInAt = new Map<string, number>();
  const modelEndedAt = new Map<string, number>();

  const run = async (event: InboundMessage, index: number) => {
    const { thread, messageId } = event;
    const runId = `run_${index}`;
    const view = open({
      runId,
      sessionId: `ses_${index}`,
      toolsBefore: 0,
      noticesBefore: [],
      tasks: [],
      thread,
      agentName: "build",
      startedAt: clock.now(),
      isLive: false,
      closes: () => Promise.resolve(),
      finalise: finaliserOf(platform, thread, `${runId}:live`),
      repeatFinal: () => Promise.resolve(),
      triggerMessageId: messageId,
      askedBy: "slack:U0ANA",
      post: (key, message) => platform.post(thread, message, `${runId}:${key}`),
    });
    const call = { toolId: "t", toolName: "read" };
    view.show({ type: "turn_start", turn: 1 });
    view.show({ type: "tool_start", ...call, input: {}, title: "config.toml" });
    view.show({ type: "tool_end", ...call, result: textResult("ok"), durationMs: 5 });
    view.show({ type: "turn_start", turn: 2 });
    let text = "";
    for (let step = 0; step < STEPS; step += 1) {
      const piece = Array.from({ length: TOKENS / STEPS }, (_, n) => `${step * (TOKENS / STEPS) + n} `).join("");
      text += piece;
      view.show({ type: "token", text: piece });
      await clock.sleep(STREAM_MS / STEPS, signal);
      // Counted in steps because on a slow machine the stream takes longer as well. The sign of life is due after one
      // second; another second allows for a busy machine.
      if (step === STEPS / 2 - 1) aSecondInAt.set(runId, clock.now());
    }
    modelEndedAt.set(runId, clock.now());
    const message = { id: runId, role: "assistant", content: [{ type: "text", text }], createdAt: 0 } as const;
    const stats = { turns: 2, tools: 1, durationMs: STREAM_MS, costUsd: 0.01, changedFiles: [] };
    await view.finish({ type: "end_turn", message }, stats);
    return text.trim();
  };

  for (let n = 0; n < THREADS; n += 1) server.people.mention({ text: `go ${n}`, channel: `C1${n % CHANNELS}` });
  const events: InboundMessage[] = [];
  while (events.length < THREADS) events.push(await inbox.nextMessage());
  const answers = await Promise.all(events.map(run));

  expect(server.rateLimited()).toBe(0);
  for (const [index, { thread }] of events.entries()) {
    const messages = await harness.visible(thread);
    const answer = messages.filter(({ by, text }) => by === "bot" && text.startsWith("0 1 2 "));
    expect(answer.map(({ text }) => text)).toEqual([answers[index]]);
  }
  const posts = server.calls.filter(({ method }) => method === "chat.postMessage");
  const keyed = posts.map(({ at, args }) => ({
    at,
    key: /"key":"(?<key>[^"]+)"/u.exec(args.metadata ?? "")?.groups?.key ?? "",
  }));
  const firstSigns = keyed.filter(({ key }) => key.endsWith(":live"));
  const lates = keyed.flatMap(({ at, key }) => {
    const endedAt = modelEndedAt.get(key.replace(/:answer:\d+$/u, ""));
    return endedAt === undefined ? [] : [at - endedAt];
  });
  expect(firstSigns).toHaveLength(THREADS);
  for (const { at, key } of firstSigns) expect(at).toBeLessThan(aSecondInAt.get(key.replace(/:live$/u, "")) ?? 0);
  expect(lates.length).toBeGreaterThanOrEqual(THREADS);
  expect(Math.max(...lates)).toBeLessThan(8_000);
});
