import { expect, test } from "vitest";
import { workUntil } from "../../src/core/work-until.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { silentLog } from "../support/silent-log.ts";

/** Seconds within ten minutes at which work begins, if its attempts fail after `lastsS` seconds each. */
async function begins(lastsS: readonly number[]): Promise<readonly number[]> {
  const clock = new ManualClock();
  const from = clock.now();
  const begun: number[] = [];
  const stopping = new AbortController();
  const work = async (signal: AbortSignal): Promise<void> => {
    begun.push((clock.now() - from) / 1_000);
    await clock.sleep((lastsS[begun.length - 1] ?? 0) * 1_000, signal);
    throw new RangeError("it cannot be done");
  };
  const working = workUntil(stopping.signal, work, { clock, log: silentLog, name: "work" });
  await clock.advance(300_000);
  stopping.abort();
  await working;
  return begun;
}

test("work that keeps failing is restarted with growing delays, up to a minute", async () => {
  expect(await begins([])).toEqual([0, 5, 15, 35, 75, 135, 195, 255]);
});

test("work that failed after running for a while is restarted soon", async () => {
  expect(await begins([0, 0, 100, 0])).toEqual([0, 5, 15, 120, 130, 150, 190, 250]);
});

test("work that ends by itself is restarted after five seconds", async () => {
  const clock = new ManualClock();
  const stopping = new AbortController();
  let begun = 0;
  const work = async () => {
    begun += 1;
  };
  const working = workUntil(stopping.signal, work, { clock, log: silentLog, name: "work" });
  await clock.advance(60_000);
  expect(begun).toBe(13);
  stopping.abort();
  await working;
});
