import { expect, test } from "vitest";
import { PacedQueue } from "../../../../src/adapters/render/pacing/paced-queue.ts";
import { PlatformError } from "../../../../src/core/protocol/errors.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

const NEVER = new AbortController().signal;

test("a stalled connection does not let more than one burst arrive at once", async () => {
  const clock = new ManualClock(0);
  const queue = new PacedQueue({ rate: { burst: 3, everyMs: 1_000 }, gate: { closedUntil: 0, closedForMs: 0 }, clock });
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

test("a hanging request delays others by at most ten seconds", async () => {
  const clock = new ManualClock(0);
  const queue = new PacedQueue({ rate: { burst: 1, everyMs: 1_000 }, gate: { closedUntil: 0, closedForMs: 0 }, clock });
  const hung = queue.run(() => clock.sleep(60_000, NEVER), { lane: "answer", signal: NEVER });
  const sentAt: number[] = [];
  const next = queue.run(async () => sentAt.push(clock.now()), { lane: "answer", signal: NEVER });
  await clock.runAll();
  await Promise.all([hung, next]);
  expect(sentAt[0]).toBeGreaterThan(1_000);
  expect(sentAt[0]).toBeLessThanOrEqual(12_000);
});

test.each([60_000, 3_600_000, 365 * 24 * 3_600_000])(
  "setting the clock back by %i ms blocks neither spent tokens nor a closed gate",
  async (byMs) => {
    const clock = new ManualClock();
    const queue = new PacedQueue({
      rate: { burst: 2, everyMs: 1_000 },
      gate: { closedUntil: 0, closedForMs: 0 },
      clock,
    });
    let refusals = 1;
    const send = () => {
      if (refusals === 0) return Promise.resolve();
      refusals -= 1;
      return Promise.reject(new PlatformError("platform_rate_limited", "slower", { retryAfterMs: 5_000 }));
    };
    const first = queue.run(send, { lane: "answer", signal: NEVER });
    await clock.advance(1_000);
    clock.set(clock.now() - byMs);
    await clock.advance(30_000);
    await first;
    for (let posts = 0; posts < 4; posts += 1) {
      const post = queue.run(send, { lane: "answer", signal: NEVER });
      await clock.advance(1_000);
      await post;
    }
    clock.set(clock.now() - byMs);
    const last = queue.run(send, { lane: "answer", signal: NEVER });
    await clock.advance(31_000);
    await last;
  },
);
