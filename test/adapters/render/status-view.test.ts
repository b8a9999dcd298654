import { expect, test } from "vitest";
import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { withStatus } from "../../../src/adapters/render/status-view.ts";
import type { OpenRunView, RunViewOptions } from "../../../src/core/progress/run-view.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { LIMITS, memoryLog, memoryPlatform, THREAD } from "./memory-platform.ts";

const plain: OpenRunView = () => ({
  show() {},
  finish: () => Promise.resolve(),
  park: () => Promise.resolve(),
  suspend: () => Promise.resolve(),
});

function setup() {
  const clock = new ManualClock(0);
  const shown: { thread: string | null; words: string; at: number }[] = [];
  const failures: PlatformError[] = [];
  const inner = {
    ...memoryPlatform(clock),
    showStatus({ threadId }: typeof THREAD, words: string) {
      shown.push({ thread: threadId, words, at: clock.now() });
      const failure = failures.shift();
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    },
  };
  const platform = pacePlatform(inner, clock);
  const open = withStatus(plain, { platform, clock, log: memoryLog() });
  const begin = (threadId: string) => {
    const run: RunViewOptions = {
      runId: threadId,
      sessionId: threadId,
      toolsBefore: 0,
      noticesBefore: [],
      tasks: [],
      thread: { ...THREAD, threadId },
      agentName: "build",
      startedAt: 0,
      isLive: false,
      closes: () => Promise.resolve(),
      finalise: () => Promise.resolve(true),
      repeatFinal: () => Promise.resolve(),
      triggerMessageId: null,
      askedBy: null,
      post: (key, message) => platform.post(THREAD, message, key),
    };
    return open(run);
  };
  return { clock, shown, failures, begin };
}

const wordsOf = (shown: readonly { readonly words: string }[]) => shown.map(({ words }) => words);

test("the status shows that a run works and its tool, and is cleared at the end", async () => {
  const { clock, shown, begin } = setup();
  const view = begin("1.0");
  await clock.advance(4_000);
  view.show({ type: "tool_start", toolId: "t1", toolName: "read", input: {}, title: "" });
  await clock.advance(100);
  await view.park();
  await clock.runAll();
  expect(wordsOf(shown)).toEqual(["is working…", "is using read…", ""]);
});

test("statuses of many runs stay within the workspace's rate, and ended runs send none", async () => {
  const { clock, shown, begin } = setup();
  const { burst, everyMs } = LIMITS.editsPerWorkspace;
  const views = Array.from({ length: 20 }, (_, index) => begin(`${index}.0`));
  await clock.advance(10);
  expect(wordsOf(shown)).toEqual(Array.from({ length: burst }, () => "is working…"));
  await Promise.all(views.map((view) => view.park()));
  await clock.runAll();
  expect(wordsOf(shown)).toEqual([
    ...Array.from({ length: burst }, () => "is working…"),
    ...Array.from({ length: burst }, () => ""),
  ]);
  for (const [index, { at }] of shown.slice(burst).entries()) {
    expect(at - (shown[index + burst - 1]?.at ?? 0)).toBeGreaterThanOrEqual(index === 0 ? 0 : everyMs);
  }
});

test("queued statuses of ended runs do not delay those of active runs", async () => {
  const { clock, shown, begin } = setup();
  const { burst, everyMs } = LIMITS.editsPerWorkspace;
  const views = Array.from({ length: burst + 50 }, (_, index) => begin(`${index}.0`));
  await clock.advance(10);
  await Promise.all(views.slice(burst).map((view) => view.park()));
  begin("late.0");
  await clock.advance(everyMs);
  expect(shown.at(-1)).toMatchObject({ thread: "late.0", words: "is working…" });
});

test("a delayed status shows the state at the time of sending", async () => {
  const { clock, shown, begin } = setup();
  for (let index = 0; index < LIMITS.editsPerWorkspace.burst; index += 1) begin(`${index}.0`);
  const late = begin("9.0");
  await clock.advance(10);
  late.show({ type: "tool_start", toolId: "t1", toolName: "glob", input: {}, title: "" });
  late.show({ type: "tool_start", toolId: "t2", toolName: "grep", input: {}, title: "" });
  await clock.advance(LIMITS.editsPerWorkspace.everyMs);
  expect(shown.filter(({ thread }) => thread === "9.0").map(({ words }) => words)).toEqual(["is using grep…"]);
});

test("a refused status does not prevent later ones", async () => {
  const { clock, shown, failures, begin } = setup();
  failures.push(new PlatformError("missing_scope", "no scope"));
  const view = begin("1.0");
  await clock.advance(10);
  await view.park();
  await clock.runAll();
  expect(wordsOf(shown)).toEqual(["is working…", ""]);
});
