import { expect, test } from "vitest";
import { AppError } from "../../src/core/protocol/errors.ts";
import { EndedRuns } from "../../src/operations/ended-runs.ts";
import { createMetrics } from "../../src/operations/metrics.ts";

test("ended runs are counted by what they came to, from before anybody asks", async () => {
  const ended = new EndedRuns();
  const end = ended.hook.ended;
  const metrics = createMetrics({
    load: () => ({ running: 1, waiting: 0 }),
    connected: () => new Map(),
    members: () => Promise.resolve([]),
    otherSettings: () => 0,
    feedback: () => Promise.resolve({}),
    ended,
  });
  const read = async () => (await metrics()).split("\n").filter((line) => line.startsWith("deckhand_runs_ended_total"));
  end?.({ type: "error", error: new AppError("auth", "refused") });
  end?.({ type: "error", error: new AppError("auth", "refused") });
  end?.({ type: "cancelled", cause: { by: "deletion" } });
  await read();
  expect(await read()).toEqual([
    'deckhand_runs_ended_total{outcome="end_turn",code=""} 0',
    'deckhand_runs_ended_total{outcome="cancelled",code=""} 1',
    'deckhand_runs_ended_total{outcome="budget_exceeded",code=""} 0',
    'deckhand_runs_ended_total{outcome="max_turns",code=""} 0',
    'deckhand_runs_ended_total{outcome="max_tokens",code=""} 0',
    'deckhand_runs_ended_total{outcome="error",code=""} 0',
    'deckhand_runs_ended_total{outcome="error",code="auth"} 2',
  ]);
});

test("what the database does not tell is left out, and all else is measured", async () => {
  const metrics = createMetrics({
    load: () => ({ running: 1, waiting: 0 }),
    connected: () => new Map([["slack", true]]),
    members: () => Promise.reject(new Error("the database is away")),
    otherSettings: () => 0,
    feedback: () => Promise.reject(new Error("the database is away")),
    ended: new EndedRuns(),
  });
  const lines = (await metrics()).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining(['deckhand_platform_connected{platform="slack"} 1', 'deckhand_runs{state="running"} 1']),
  );
  expect(lines.filter((line) => /^deckhand_(?:replica_runs|run_feedback)\{/u.test(line))).toEqual([]);
});
