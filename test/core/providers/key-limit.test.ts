import { expect, test } from "vitest";
import type { KeyHolders, KeyMessage } from "../../../src/core/providers/concurrency/key-holders.ts";
import { KeyLimit, type RefusedCall } from "../../../src/core/providers/concurrency/key-limit.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { seededRandom } from "../../support/runtime.ts";

/** One process's limit for a key; records the messages that it sends to the others. */
class Holder implements KeyHolders {
  readonly clock = new ManualClock();
  readonly told: KeyMessage[] = [];
  readonly limit = new KeyLimit({ clock: this.clock, random: seededRandom(1) }, this);
  processes = 3;
  size = () => this.processes;
  publish = (word: KeyMessage) => {
    this.told.push(word);
  };
  subscribe = () => undefined;

  refused(call: Partial<RefusedCall>): "alone" | "crowded" {
    const { decreases } = this.limit;
    return this.limit.refused({ waitMs: 1_000, isAlone: false, running: 1, decreases, ...call });
  }
}

const REFUSED = { type: "refused", waitMs: 1_000, limit: 6, againMs: null } as const;
const IDLE = { running: 0, isAnswered: false };

test("the shared limit is redistributed when processes join or leave, with at least one call each", () => {
  const holder = new Holder();
  holder.refused({ running: 8 });
  expect(holder.limit.share()).toBe(4);
  const shares = [1, 2, 3, 4, 13].map((processes) => {
    holder.processes = processes;
    return holder.limit.share();
  });
  expect(shares).toEqual([12, 6, 4, 3, 1]);
});

test("processes together raise the limit as fast as a single one does", () => {
  const holder = new Holder();
  holder.refused({ running: 8 });
  for (let calls = 0; calls < 4; calls += 1) holder.limit.succeeded();
  // These four are this process's third of twelve successes: the total limit rises by one, but no share does.
  expect(holder.limit.share()).toBe(4);
  for (let calls = 0; calls < 10; calls += 1) holder.limit.succeeded();
  expect(holder.limit.share()).toBe(5);
});

test("calls refused together decrease the limit once and are announced once", () => {
  const holder = new Holder();
  const { decreases } = holder.limit;
  for (let calls = 0; calls < 8; calls += 1) holder.refused({ running: 8, decreases });
  expect(holder.told).toEqual([{ ...REFUSED, limit: 12 }]);
});

test.each([
  { running: 0, share: 2, of: "that does nothing takes its share of what is told" },
  { running: 20, share: 10, of: "that does much keeps half of it, whatever the share of one that does little" },
])("a process $of", ({ running, share }) => {
  const holder = new Holder();
  holder.limit.received(REFUSED, { running, isAnswered: true });
  expect(holder.limit.share()).toBe(share);
  expect(holder.limit.waitMs()).toBe(1_000);
});

test("a refusal announced during a wait extends the wait without decreasing the limit", () => {
  const holder = new Holder();
  holder.limit.received({ ...REFUSED, limit: 30 }, IDLE);
  holder.limit.received({ ...REFUSED, waitMs: 5_000, limit: 3 }, IDLE);
  expect(holder.limit.share()).toBe(10);
  expect(holder.limit.waitMs()).toBe(5_000);
});

test("a process with answered calls tells a process refused alone, and lets it go first", async () => {
  const holder = new Holder();
  holder.limit.received({ ...REFUSED, againMs: 3_000 }, { running: 1, isAnswered: true });
  expect(holder.told).toEqual([{ type: "answered" }]);
  expect(holder.limit.waitMs()).toBe(3_500);

  await holder.clock.advance(3_500);
  holder.limit.received({ ...REFUSED, againMs: 3_000 }, IDLE);
  expect(holder.told).toHaveLength(1);
  holder.limit.answered();
  holder.limit.answered();
  expect(holder.told).toHaveLength(2);
});

test("a process refused alone waits for another one only as long as the provider asks", () => {
  const holder = new Holder();
  holder.refused({ isAlone: true, waitMs: 100 });
  holder.limit.received({ ...REFUSED, waitMs: 2_000, againMs: 9_000 }, IDLE);
  expect(holder.limit.waitMs()).toBe(2_000);
});

test("lone refusals are tolerated while others are answered, up to a maximum", () => {
  const holder = new Holder();
  const verdicts = Array.from({ length: 25 }, () => {
    const verdict = holder.refused({ isAlone: true });
    holder.limit.received({ type: "answered" }, IDLE);
    return verdict;
  });
  expect(verdicts.indexOf("alone")).toBe(24);
  holder.limit.answered();
  expect(holder.refused({ isAlone: true })).toBe("crowded");
});

test("in a sole process a lone refusal is passed to the caller at once, without an announcement", () => {
  const holder = new Holder();
  holder.processes = 1;
  expect(holder.refused({ isAlone: true })).toBe("alone");
  expect(holder.told).toEqual([]);
});
