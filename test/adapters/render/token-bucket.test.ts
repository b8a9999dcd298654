import { expect, test } from "vitest";
import { PacedQueue } from "../../../src/adapters/render/paced-queue.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const NEVER = new AbortController().signal;

test("a connection that stalls does not let more than one burst arrive at once", async () => {
  const clock = new ManualClock(0);
  const queue = new PacedQueue({ rate: { burst: 3, everyMs: 1_000 }, gate: { closedUntil: 0 }, clock });
  const arrivals: number[] = [];
  const send = async () => {
    await clock.sleep(Math.max(0, 2_500 - clock.now()), NEVER);
    arrivals.push(clock.now());
  };
  const all = Promise.all(Array.from({ length: 6 }, () => queue.run(send, { lane: "answer", signal: NEVER })));
  await clock.runAll();
  await all;
  expect(arrivals).toEqual([2_500, 2_500, 2_500, 3_500, 4_500, 5_500]);
});

test("a request that hangs holds the others back for ten seconds at most", async () => {
  const clock = new ManualClock(0);
  const queue = new PacedQueue({ rate: { burst: 1, everyMs: 1_000 }, gate: { closedUntil: 0 }, clock });
  const hung = queue.run(() => clock.sleep(60_000, NEVER), { lane: "answer", signal: NEVER });
  const sentAt: number[] = [];
  const next = queue.run(async () => sentAt.push(clock.now()), { lane: "answer", signal: NEVER });
  await clock.runAll();
  await Promise.all([hung, next]);
  expect(sentAt[0]).toBeGreaterThan(1_000);
  expect(sentAt[0]).toBeLessThanOrEqual(12_000);
});
