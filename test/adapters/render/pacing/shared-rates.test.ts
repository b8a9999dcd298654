import { array, assert, asyncProperty, constantFrom, integer, nat, record } from "fast-check";
import { expect, test } from "vitest";
import { type Gate, PacedQueue } from "../../../../src/adapters/render/pacing/paced-queue.ts";
import type { RateBucket } from "../../../../src/core/platform/descriptor.ts";
import type { Lane } from "../../../../src/core/platform/outgoing.ts";
import { PlatformError } from "../../../../src/core/protocol/errors.ts";
import { MemoryRates } from "../../../support/database/memory-rates.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

const LANES: readonly Lane[] = ["approval", "answer", "first", "progress"];
const NEVER = new AbortController().signal;

interface Processes {
  readonly clock: ManualClock;
  readonly queues: readonly PacedQueue[];
}

function processes(count: number, rate: RateBucket, delays?: readonly number[]): Processes {
  const clock = new ManualClock(0);
  const rates = new MemoryRates(clock, delays);
  const queue = () => {
    const gate: Gate = { closedUntil: 0, closedForMs: 0 };
    return new PacedQueue({ rate, gate, clock, shared: { rates, bucket: "b", gate: "g" } });
  };
  return { clock, queues: Array.from({ length: count }, queue) };
}

const sending = record({
  rate: record({ burst: integer({ min: 1, max: 8 }), everyMs: integer({ min: 50, max: 1_500 }) }),
  delays: array(integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 7 }),
  requests: array(record({ process: nat(3), at: nat(5_000), lane: constantFrom(...LANES), answersMs: nat(200) }), {
    minLength: 1,
    maxLength: 40,
  }),
});

test("all requests of all processes are sent, and no time window exceeds the rate", async () => {
  await assert(
    asyncProperty(sending, async ({ rate, delays, requests }) => {
      const { clock, queues } = processes(4, rate, delays);
      const sentAt: number[] = [];
      const send = async ({ process, at, lane, answersMs }: (typeof requests)[number]) => {
        await clock.sleep(at, NEVER);
        const request = () => {
          sentAt.push(clock.now());
          return clock.sleep(answersMs, NEVER);
        };
        await queues[process]?.run(request, { lane, signal: NEVER });
      };
      const all = Promise.all(requests.map(send));
      await clock.runAll();
      await all;
      expect(sentAt).toHaveLength(requests.length);
      const longestDelayMs = Math.max(...delays);
      for (const [first, from] of sentAt.entries())
        for (const [last, to] of sentAt.entries())
          if (last >= first)
            expect(last - first + 1).toBeLessThanOrEqual(rate.burst + (to - from + longestDelayMs) / rate.everyMs);
    }),
    { numRuns: 150 },
  );
});

test("an urgent request of one process does not wait for less urgent ones of another", async () => {
  const { clock, queues } = processes(3, { burst: 7, everyMs: 1_000 });
  const [first = expect.fail(), second = expect.fail(), third = expect.fail()] = queues;
  const sent = (queue: PacedQueue, lane: Lane, count: number) =>
    Array.from({ length: count }, () => queue.run(async () => clock.now(), { lane, signal: NEVER }));
  const progress = [...sent(first, "progress", 20), ...sent(second, "progress", 20)];
  await clock.advance(10_000);
  const askedAt = clock.now();
  const approvals = sent(third, "approval", 3);
  await clock.runAll();
  for (const at of await Promise.all(approvals)) expect(at).toBeLessThan(askedAt + 100);
  await Promise.all(progress);
});

test("a 429 in one process closes the gates of all processes", async () => {
  const { clock, queues } = processes(2, { burst: 3, everyMs: 100 });
  const [first = expect.fail(), second = expect.fail()] = queues;
  let refusals = 1;
  const send = async () => {
    refusals -= 1;
    if (refusals >= 0) throw new PlatformError("platform_rate_limited", "429", { retryAfterMs: 20_000 });
    return clock.now();
  };
  const limited = first.run(send, { lane: "answer", signal: NEVER });
  await clock.advance(10);
  const other = second.run(send, { lane: "answer", signal: NEVER });
  await clock.runAll();
  expect(await other).toBeGreaterThanOrEqual(20_000);
  expect(await limited).toBeGreaterThanOrEqual(20_000);
});

test("the token of a withdrawn request is refunded to the others", async () => {
  const { clock, queues } = processes(2, { burst: 1, everyMs: 60_000 });
  const [first = expect.fail(), second = expect.fail()] = queues;
  const controller = new AbortController();
  const unwanted = first.run(async () => 0, { lane: "answer", signal: controller.signal });
  const gone = expect(unwanted).rejects.toThrow("not needed");
  controller.abort(new Error("not needed"));
  await gone;
  await clock.advance(10);
  const sentAt = second.run(async () => clock.now(), { lane: "answer", signal: NEVER });
  await clock.runAll();
  expect(await sentAt).toBeLessThan(100);
});

test("requests delayed by a stalled connection count at their arrival, for all processes", async () => {
  const { clock, queues } = processes(2, { burst: 3, everyMs: 1_000 });
  const [first = expect.fail(), second = expect.fail()] = queues;
  const stalled = Array.from({ length: 3 }, () =>
    first.run(() => clock.sleep(2_500, NEVER), { lane: "approval", signal: NEVER }),
  );
  await clock.advance(2_600);
  await Promise.all(stalled);
  const sentAt = second.run(async () => clock.now(), { lane: "approval", signal: NEVER });
  await clock.runAll();
  expect(await sentAt).toBeGreaterThan(3_400);
});
