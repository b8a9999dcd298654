import type { Price } from "../providers/provider.ts";
import type { Amount } from "../store/ledger/budgets.ts";
import type { BudgetLimit, BudgetUnit } from "./limits.ts";

/** A call that could write less than this is not worth its input. Tokens. */
export const LEAST_OUTPUT_TOKENS = 256;

export interface PlannedCall {
  /** At most. */
  readonly inputTokens: number;
  /** What the call would be allowed to write without limits. Tokens. */
  readonly maxTokens: number;
  /** Null when unknown. */
  readonly price: Price | null;
}

/** A limit, what counts against it, and what other runs' calls that have not ended may still add. */
export interface BudgetState {
  readonly limit: BudgetLimit;
  readonly spent: Amount;
  readonly held: Amount;
}

/**
 * `contended`: the call fits into what is left, but not beside what other runs' calls hold; they may turn
 * out cheaper. `exceeded` names the limit that leaves the least.
 */
export type Verdict =
  | { readonly type: "granted"; readonly maxTokens: number; readonly amount: Amount }
  | { readonly type: "contended"; readonly by: BudgetState }
  | { readonly type: "exceeded"; readonly by: BudgetState; readonly unit: BudgetUnit };

/** What a call may write so that no limit can be passed, whatever it and the calls beside it come to. */
export function verdictOn(call: PlannedCall, states: readonly BudgetState[]): Verdict {
  const least = Math.min(LEAST_OUTPUT_TOKENS, call.maxTokens);
  let maxTokens = call.maxTokens;
  let contended: BudgetState | null = null;
  let exceeded: { by: BudgetState; unit: BudgetUnit; room: number } | null = null;
  for (const by of states) {
    for (const unit of ["usd", "tokens"] as const) {
      const { limit, spent } = by;
      const room = roomFor(call, { limit, unit, used: spent });
      if (room < least && (exceeded === null || room < exceeded.room)) exceeded = { by, unit, room };
      const roomNow = roomFor(call, { limit, unit, used: sumOf(spent, by.held) });
      if (roomNow < least) contended ??= by;
      maxTokens = Math.min(maxTokens, roomNow);
    }
  }
  if (exceeded !== null) return { type: "exceeded", by: exceeded.by, unit: exceeded.unit };
  if (contended !== null) return { type: "contended", by: contended };
  return { type: "granted", maxTokens, amount: amountOf(call, maxTokens) };
}

/** Tokens of output that one limit leaves beside what is used; Infinity where it does not hold for the call. */
function roomFor(
  call: PlannedCall,
  { limit, unit, used }: { readonly limit: BudgetLimit; readonly unit: BudgetUnit; readonly used: Amount },
): number {
  const most = limit[unit];
  if (most === null) return Number.POSITIVE_INFINITY;
  if (unit === "tokens") return most - used.tokens - call.inputTokens;
  // A cost that nobody knows is allowed until the limit is reached by others.
  if (call.price === null) return used.costUsd < most ? Number.POSITIVE_INFINITY : 0;

  const input = inputCost(call) ?? 0;
  const left = most - used.costUsd - input;
  const perToken = call.price.output / 1_000_000;
  if (perToken > 0) return Math.floor(left / perToken);
  return left >= 0 || input === 0 ? Number.POSITIVE_INFINITY : 0;
}

export function sumOf(a: Amount, b: Amount): Amount {
  return { costUsd: a.costUsd + b.costUsd, tokens: a.tokens + b.tokens };
}

/** US dollars at most: the prompt may have to be written to the provider's cache, which can cost more than reading it. */
export function inputCost({ inputTokens, price }: PlannedCall): number | null {
  return price === null ? null : (inputTokens * Math.max(price.input, price.cacheWrite)) / 1_000_000;
}

/** What the call comes to at most. */
function amountOf(call: PlannedCall, maxTokens: number): Amount {
  const outputUsd = (maxTokens * (call.price?.output ?? 0)) / 1_000_000;
  return { costUsd: (inputCost(call) ?? 0) + outputUsd, tokens: call.inputTokens + maxTokens };
}
