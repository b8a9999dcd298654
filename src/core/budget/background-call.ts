import { costOf, type ModelResponse, type ProviderRegistry } from "../providers/provider.ts";
import { NO_TURN } from "../store/ledger/usage.ts";
import type { StoreTransaction } from "../store/store.ts";
import { withRunBudget } from "./budgeted-registry.ts";
import type { RunBudgetOptions } from "./run-budget.ts";

/** A model call outside runs: short, without tools. */
export interface BackgroundCall {
  /** Stays the same when the call is repeated, so that a call cut off by a crash is charged then. */
  readonly id: string;
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Whom the call is charged to. */
  readonly account: { readonly sessionId: string; readonly personId: string; readonly channelId: string };
}

export interface BackgroundAnswer {
  readonly response: ModelResponse;
  /** Counts the call as spent, in the transaction that stores its result. */
  readonly count: (tx: StoreTransaction) => Promise<void>;
}

/** Makes the call within all limits. Throws BudgetStop if they leave too little, ProviderError, the signal's reason. */
export type CallModel = (call: BackgroundCall, signal: AbortSignal) => Promise<BackgroundAnswer>;

export function createBackgroundCalls(
  registry: ProviderRegistry,
  given: Pick<RunBudgetOptions, "store" | "runtime" | "settings">,
): CallModel {
  const { store, runtime } = given;
  return async ({ id, model: ref, system, prompt, maxTokens, account }, signal) => {
    const budget = { ...account, runId: id, isJob: false };
    const limited = withRunBudget({ ...given, account: budget, epoch: null }, registry);
    const { provider, model, facts } = await limited.resolve(ref);
    const request = {
      model,
      system: [{ text: system, cacheBreakpoint: false }],
      messages: [
        { id, role: "user", content: [{ type: "text", text: prompt }], createdAt: runtime.clock.now() },
      ] as const,
      tools: [],
      maxTokens: Math.min(maxTokens, facts.maxOutputTokens),
    };
    try {
      const response = await provider.createMessage(request, signal);
      const { usage, stopReason } = response;
      const costUsd = costOf(usage, facts.price);
      const entry = { ...account, runId: id, turn: NO_TURN, model: ref, stopReason, usage, costUsd };
      return { response, count: (tx) => tx.usage.add({ ...entry, at: runtime.clock.now() }) };
    } catch (error) {
      // A call cut off by the program's stop is repeated, and charged then.
      if (!signal.aborted) await store.transaction((tx) => tx.budgets.withdraw(id));
      throw error;
    }
  };
}
