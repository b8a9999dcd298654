import { NO_USAGE } from "../protocol/usage.ts";
import { costOf, type Embedded } from "../providers/provider.ts";
import type { CreateEmbedder } from "../providers/registry/embedder.ts";
import type { StoreTransaction } from "../store/store.ts";
import { textTokensAtMost } from "./estimate.ts";
import { RunBudget, type RunBudgetOptions } from "./run-budget.ts";

/** Makes vectors beside runs, and counts what that costs: it is put down to nobody, and only limits of a day hold for it. */
export interface BackgroundEmbedder {
  /** `provider/model` */
  readonly ref: string;
  /** Within the day's limits. Throws BudgetStop where they leave too little, ProviderError, the signal's reason. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<CountedVectors>;
  /** As `embed`, for a few short texts that somebody waits for: looks at no limits. `settle` counts them. */
  ask(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Counts what has been asked since it did so last. */
  settle(): Promise<void>;
}

interface CountedVectors extends Pick<Embedded, "vectors"> {
  /** Counts the call as spent, in the transaction that stores what has come of it. */
  readonly count: (tx: StoreTransaction) => Promise<void>;
}

/** `by`: the name that reports show; one process at a time uses it. Rejects as `CreateEmbedder`. */
export type CreateBackgroundEmbedder = (ref: string, by: string) => Promise<BackgroundEmbedder>;

/** In place of a turn, which such a call is none of: below 0, as a summary. */
const NO_TURN = -1;
/** It writes nothing; but limits are asked for room to write. */
const LEAST_OUTPUT = 1;

export function createBackgroundEmbedders(
  create: CreateEmbedder,
  { store, runtime, settings }: Pick<RunBudgetOptions, "store" | "runtime" | "settings">,
): CreateBackgroundEmbedder {
  const { clock, ids } = runtime;
  const { dayUsd, dayTokens } = settings;
  // The work is for everybody: what one run, person or channel may spend says nothing of it.
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
          const reserving = budget.reserve({ model: ref, inputTokens, maxTokens: LEAST_OUTPUT, price }, signal);
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
          // What a stop of the program has cut is made anew, and charged then.
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
