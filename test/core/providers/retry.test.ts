import { expect, test } from "vitest";
import { type ErrorCode, ProviderError } from "../../../src/core/protocol/errors.ts";
import { nextTryMs, retryDelayMs } from "../../../src/core/providers/retry.ts";

const highest = { next: () => 0.999_999 };
const lowest = { next: () => 0 };

function failed(code: ErrorCode, retryAfterMs?: number): ProviderError {
  return new ProviderError(code, "test", retryAfterMs === undefined ? {} : { retryAfterMs });
}

const counts: readonly { code: ErrorCode; retries: number }[] = [
  { code: "overloaded", retries: 2 },
  { code: "rate_limited", retries: 4 },
  { code: "stalled", retries: 2 },
  { code: "incomplete_stream", retries: 2 },
  { code: "empty_response", retries: 1 },
  { code: "quota", retries: 0 },
  { code: "auth", retries: 0 },
  { code: "bad_request", retries: 0 },
  { code: "context_overflow", retries: 0 },
  { code: "refused", retries: 0 },
  { code: "unknown_model", retries: 0 },
  { code: "unknown_provider", retries: 0 },
];

test.each(counts)("$code is retried $retries times", ({ code, retries }) => {
  const delays = Array.from({ length: 8 }, (_, attempt) => retryDelayMs(failed(code), attempt, highest));
  expect(delays.filter((delay) => delay !== null)).toHaveLength(retries);
  expect(delays.slice(retries).every((delay) => delay === null)).toBe(true);
});

test("both retries of an overloaded model start within 5 s, whatever wait it requests", () => {
  const waits = [0, 1].map((attempt) => retryDelayMs(failed("overloaded"), attempt, highest) ?? 0);
  expect(waits[0]).toBeGreaterThan(0);
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(5_000);
  const asked = [0, 1].map((attempt) => retryDelayMs(failed("overloaded", 2_400), attempt, highest) ?? 0);
  expect(asked.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(5_300);
  expect(retryDelayMs(failed("overloaded", 20_000), 0, highest)).toBeNull();
});

test("delays are spread over their whole range", () => {
  expect(retryDelayMs(failed("stalled"), 0, lowest)).toBe(0);
  expect(retryDelayMs(failed("stalled"), 0, { next: () => 0.5 })).toBe(250);
  expect(retryDelayMs(failed("stalled"), 1, { next: () => 0.5 })).toBe(500);
});

const asked: readonly { retryAfterMs: number; least: number | null; most: number }[] = [
  { retryAfterMs: 7_000, least: 7_000, most: 7_700 },
  { retryAfterMs: 60_000, least: 60_000, most: 66_000 },
  { retryAfterMs: 60_001, least: null, most: 0 },
];
test.each(asked)("a requested wait of $retryAfterMs ms is observed up to a minute", ({ retryAfterMs, least, most }) => {
  expect(retryDelayMs(failed("rate_limited", retryAfterMs), 0, lowest)).toBe(least);
  expect(retryDelayMs(failed("rate_limited", retryAfterMs), 0, highest) ?? 0).toBeLessThanOrEqual(most);
});

/** Waits between the attempts of a call that always fails at once. */
function waitsOf(error: ProviderError, hasFallback: boolean, random = lowest): number[] {
  const waits: number[] = [];
  for (let forMs = 0; ; ) {
    const wait = nextTryMs(error, { attempt: waits.length, forMs, hasFallback }, random);
    if (wait === null) return waits;
    waits.push(wait);
    forMs += wait;
  }
}

test.each([
  { code: "provider_failed", hasFallback: false, waits: [500, 1_000, 2_000, 4_000, 8_000, 16_000, 28_500] },
  { code: "network", hasFallback: false, waits: [500, 1_000, 2_000, 4_000, 8_000, 16_000, 28_500] },
  { code: "provider_failed", hasFallback: true, waits: [500, 1_000, 2_000, 1_500] },
  { code: "network", hasFallback: true, waits: [500, 1_000, 2_000, 1_500] },
] as const)(
  "$code, fallback $hasFallback: delays double until a minute, or 5 s, has passed",
  ({ code, hasFallback, waits }) => {
    expect(waitsOf(failed(code), hasFallback)).toEqual(waits);
    const total = waitsOf(failed(code), hasFallback, highest).reduce((sum, wait) => sum + wait, 0);
    expect(total).toBe(hasFallback ? 5_000 : 60_000);
  },
);

test("a requested wait is not shortened; a fallback takes over instead", () => {
  const tried = { attempt: 0, forMs: 0 };
  expect(nextTryMs(failed("provider_failed", 20_000), { ...tried, hasFallback: false }, lowest)).toBe(20_500);
  expect(nextTryMs(failed("provider_failed", 20_000), { ...tried, hasFallback: true }, lowest)).toBeNull();
});
