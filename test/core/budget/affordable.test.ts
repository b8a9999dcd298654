import { expect, test } from "vitest";
import {
  type BudgetState,
  MIN_OUTPUT_TOKENS,
  type PlannedCall,
  verdictOn,
} from "../../../src/core/budget/affordable.ts";
import type { BudgetLimit } from "../../../src/core/budget/limits.ts";

/** A thousand tokens cost one cent to write to the cache and five cents as output. */
const PRICE = { input: 8, output: 50, cacheRead: 1, cacheWrite: 10 };
const CALL: PlannedCall = { inputTokens: 1_000, maxTokens: 32_000, price: PRICE };
const NOTHING = { costUsd: 0, tokens: 0 };

function budgetState(limit: Partial<BudgetLimit>, given: Partial<BudgetState> = {}): BudgetState {
  return {
    limit: { scope: "run", usd: null, tokens: null, counts: {}, ...limit },
    spent: NOTHING,
    held: NOTHING,
    ...given,
  };
}

const spent = (costUsd: number, tokens = 0) => ({ spent: { costUsd, tokens } });
const held = (costUsd: number) => ({ held: { costUsd, tokens: 0 } });

test.each<{ name: string; call?: Partial<PlannedCall>; states: BudgetState[]; maxTokens: number }>([
  { name: "no limit", states: [], maxTokens: 32_000 },
  { name: "room for all of it", states: [budgetState({ usd: 10 })], maxTokens: 32_000 },
  { name: "what is left after the prompt", states: [budgetState({ usd: 0.51 })], maxTokens: 10_000 },
  { name: "what was spent before", states: [budgetState({ usd: 1.01 }, spent(0.5))], maxTokens: 10_000 },
  { name: "what others hold", states: [budgetState({ usd: 1.01 }, held(0.5))], maxTokens: 10_000 },
  {
    name: "the narrowest of several",
    states: [budgetState({ usd: 0.51 }), budgetState({ scope: "day", usd: 0.26 })],
    maxTokens: 5_000,
  },
  { name: "tokens", states: [budgetState({ tokens: 9_000 }, spent(0, 3_000))], maxTokens: 5_000 },
  { name: "an unknown price", call: { price: null }, states: [budgetState({ usd: 0.01 })], maxTokens: 32_000 },
  {
    name: "a free model when all is spent",
    call: { price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
    states: [budgetState({ usd: 1 }, spent(2))],
    maxTokens: 32_000,
  },
  {
    name: "a call smaller than the least",
    call: { maxTokens: 100 },
    states: [budgetState({ usd: 0.016 })],
    maxTokens: 100,
  },
])("a call may write $maxTokens tokens with $name", ({ call, states, maxTokens }) => {
  expect(verdictOn({ ...CALL, ...call }, states)).toMatchObject({ type: "granted", maxTokens });
});

test("the reservation covers the prompt at its highest price and the maximum output", () => {
  const { type, ...granted } = verdictOn(CALL, [budgetState({ usd: 0.51 })]);
  expect(type).toBe("granted");
  expect(granted).toEqual({ maxTokens: 10_000, amount: { costUsd: 0.51, tokens: 11_000 } });
});

test.each<{ name: string; call?: Partial<PlannedCall>; states: BudgetState[]; expected: object }>([
  {
    name: "one token less than the least",
    states: [budgetState({ usd: 0.01 + ((MIN_OUTPUT_TOKENS - 1) * 50) / 1_000_000 })],
    expected: { type: "exceeded", unit: "usd" },
  },
  {
    name: "an unknown price when others have spent all",
    call: { price: null },
    states: [budgetState({ usd: 1 }, spent(1))],
    expected: { type: "exceeded", unit: "usd" },
  },
  {
    name: "too few tokens",
    states: [budgetState({ usd: 5, tokens: 1_200 })],
    expected: { type: "exceeded", unit: "tokens" },
  },
  {
    name: "two limits reached: the one that leaves less is named",
    states: [budgetState({ usd: 1 }, spent(1)), budgetState({ scope: "day", usd: 1 }, spent(1.5))],
    expected: { type: "exceeded", by: { limit: { scope: "day" } } },
  },
  {
    name: "too little beside others",
    states: [budgetState({ scope: "day", usd: 1 }, held(0.99))],
    expected: { type: "contended", by: { limit: { scope: "day" } } },
  },
])("a call is not made with $name", ({ call, states, expected }) => {
  expect(verdictOn({ ...CALL, ...call }, states)).toMatchObject(expected);
});
