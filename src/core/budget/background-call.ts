import { costOf, type ModelResponse, type ProviderRegistry } from "../providers/provider.ts";
import type { StoreTransaction } from "../store/store.ts";
import { registryWithin } from "./budgeted-registry.ts";
import type { RunBudgetOptions } from "./run-budget.ts";

/** A model call that belongs to no run: short, without tools. */
export interface BackgroundCall {
  /** The same each time that it is made anew: one that a crash has cut is charged then. */
  readonly id: string;
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Whom it is put down to. */
  readonly account: { readonly sessionId: string; readonly personId: string; readonly channelId: string };
}

export interface BackgroundAnswer {
  readonly response: ModelResponse;
  /** Counts the call as spent, in the transaction that stores what has come of it. */
  readonly count: (tx: StoreTransaction) => Promise<void>;
}

/** Makes the call within all limits. Throws BudgetStop where one leaves too little, ProviderError, the signal's reason. */
export type CallModel = (call: BackgroundCall, signal: AbortSignal) => Promise<BackgroundAnswer>;

/** In place of a turn, which such a call is none of: below 0, as a summary. */
const NO_TURN = -1;

export function createBackgroundCalls(
  registry: ProviderRegistry,
  given: Pick<RunBudgetOptions, "store" | "runtime" | "settings">,
): CallModel {
  const { store, runtime } = given;
  return async ({ id, model: ref, system, prompt, maxTokens, account }, signal) => {
    const budget = { ...account, runId: id, isJob: false };
    const limited = registryWithin({ ...given, account: budget, epoch: null }, registry);
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
      // What a stop of the program has cut is made anew, and charged then.
      if (!signal.aborted) await store.transaction((tx) => tx.budgets.withdraw(id));
      throw error;
    }
  };
}
