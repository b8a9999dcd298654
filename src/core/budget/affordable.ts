import type { Price } from "../providers/provider.ts";
import type { Amount } from "../store/ledger/usage-report.ts";
import type { BudgetLimit, BudgetUnit } from "./limits.ts";

/** A call that could write fewer tokens than this is not worth its input. */
export const MIN_OUTPUT_TOKENS = 256;

export interface PlannedCall {
  /** Upper bound of the call's input. */
  readonly inputTokens: number;
  /** Maximum output of the call if no limit applied. Tokens. */
  readonly maxTokens: number;
  /** Null if unknown. */
  readonly price: Price | null;
}

/** A limit, what counts against it, and what other runs' calls under way may still add. */
export interface BudgetState {
  readonly limit: BudgetLimit;
  readonly spent: Amount;
  readonly held: Amount;
}

/**
 * `contended`: the call fits what is left, but not beside what other runs' calls hold, which may turn out cheaper.
 * `exceeded` names the limit that leaves the least.
 */
export type Verdict =
  | { readonly type: "granted"; readonly maxTokens: number; readonly amount: Amount }
  | { readonly type: "contended"; readonly by: BudgetState }
  | { readonly type: "exceeded"; readonly by: BudgetState; readonly unit: BudgetUnit };

/** Decides how much a call may write so that no limit can be passed, whatever this call and those beside it cost. */
export function verdictOn(call: PlannedCall, states: readonly BudgetState[]): Verdict {
  const least = Math.min(MIN_OUTPUT_TOKENS, call.maxTokens);
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

/** Output tokens that one limit still leaves; Infinity if the limit does not restrict the call. */
function roomFor(
  call: PlannedCall,
  { limit, unit, used }: { readonly limit: BudgetLimit; readonly unit: BudgetUnit; readonly used: Amount },
): number {
  const most = limit[unit];
  if (most === null) return Number.POSITIVE_INFINITY;
  if (unit === "tokens") return most - used.tokens - call.inputTokens;
  // A call of unknown cost is allowed until other calls have used up the limit.
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

/** Maximum input cost in US dollars. Writing the prompt to the provider's cache can cost more than plain input. */
export function inputCost({ inputTokens, price }: PlannedCall): number | null {
  return price === null ? null : (inputTokens * Math.max(price.input, price.cacheWrite)) / 1_000_000;
}

/** Maximum cost and tokens of the call. */
function amountOf(call: PlannedCall, maxTokens: number): Amount {
  const outputUsd = (maxTokens * (call.price?.output ?? 0)) / 1_000_000;
  return { costUsd: (inputCost(call) ?? 0) + outputUsd, tokens: call.inputTokens + maxTokens };
}
