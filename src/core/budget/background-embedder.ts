import { NO_USAGE } from "../protocol/usage.ts";
import { costOf, type Embedded } from "../providers/provider.ts";
import type { CreateEmbedder } from "../providers/registry/embedder.ts";
import { NO_TURN } from "../store/ledger/usage.ts";
import type { StoreTransaction } from "../store/store.ts";
import { textTokensAtMost } from "./estimate.ts";
import { RunBudget, type RunBudgetOptions } from "./run-budget.ts";

/** Makes vectors outside runs and counts their cost, which is charged to nobody; only the limits per day apply. */
export interface BackgroundEmbedder {
  /** `provider/model`. */
  readonly ref: string;
  /** Within the day's limits. Throws BudgetStop if they leave too little, ProviderError, or the signal's reason. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<CountedVectors>;
  /** As `embed`, for a few short texts that somebody waits for: ignores limits. `settle` counts them. */
  ask(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Counts what `ask` has used since the last time. */
  settle(): Promise<void>;
}

interface CountedVectors extends Pick<Embedded, "vectors"> {
  /** Counts the call as spent, in the transaction that stores its result. */
  readonly count: (tx: StoreTransaction) => Promise<void>;
}

/** `by`: the name shown in reports, used by one process at a time. Rejects as `CreateEmbedder`. */
export type CreateBackgroundEmbedder = (ref: string, by: string) => Promise<BackgroundEmbedder>;

/** Embedding writes nothing, but limits must be asked for some output. */
const MIN_OUTPUT = 1;

export function createBackgroundEmbedders(
  create: CreateEmbedder,
  { store, runtime, settings }: Pick<RunBudgetOptions, "store" | "runtime" | "settings">,
): CreateBackgroundEmbedder {
  const { clock, ids } = runtime;
  const { dayUsd, dayTokens } = settings;
  // The work is for everybody, so limits per run, person or channel do not apply.
  const limits = { ...(dayUsd === undefined ? {} : { dayUsd }), ...(dayTokens === undefined ? {} : { dayTokens }) };
  return async (ref, by) => {
    const embedder = await create(ref);
    const { price } = embedder;
    const owner = { sessionId: by, personId: by, channelId: by };
    const account = { ...owner, runId: by, isJob: false };
    const budget = new RunBudget({ store, runtime, settings: limits, account, epoch: null });
    const spent = async (tx: StoreTransaction, tokens: number): Promise<void> => {
      const usage = { ...NO_USAGE, inputTokens: tokens };
      const call = { ...owner, runId: ids.next("embed"), turn: NO_TURN, model: ref, stopReason: "end_turn" } as const;
      await tx.usage.add({ ...call, usage, costUsd: costOf(usage, price), at: clock.now() });
    };
    let asked = 0;
    return {
      ref,
      async embed(texts, signal) {
        const inputTokens = tokensAtMost(texts);
        if (Object.keys(limits).length > 0) {
          const reserving = budget.reserve({ model: ref, inputTokens, maxTokens: MIN_OUTPUT, price }, signal);
          while (!(await reserving.next()).done);
        }
        try {
          const { vectors, tokens } = await embedder.embed(texts, signal);
          const count = async (tx: StoreTransaction) => {
            await spent(tx, tokens ?? inputTokens);
            await tx.budgets.withdraw(by);
          };
          return { vectors, count };
        } catch (error) {
          // A call cut off by the program's stop is repeated, and charged then.
          if (!signal.aborted) await store.transaction((tx) => tx.budgets.withdraw(by));
          throw error;
        }
      },
      async ask(texts, signal) {
        const { vectors, tokens } = await embedder.embed(texts, signal);
        asked += tokens ?? tokensAtMost(texts);
        return vectors;
      },
      async settle() {
        const tokens = asked;
        if (tokens === 0) return;
        await store.transaction((tx) => spent(tx, tokens));
        asked -= tokens;
      },
    };
  };
}

function tokensAtMost(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + textTokensAtMost(text), 0);
}
