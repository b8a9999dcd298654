import { setTimeout } from "node:timers/promises";
import type { BudgetAccount, BudgetSettings } from "../../../src/core/budget/limits.ts";
import { BudgetStop, RunBudget } from "../../../src/core/budget/run-budget.ts";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { seededRandom } from "../../support/runtime.ts";

/** Runs that spend until a limit stops them, and the database that they share. */
export interface Spending {
  readonly url: string;
  readonly settings: BudgetSettings;
  readonly accounts: readonly BudgetAccount[];
  /** Maximum duration of a call, in milliseconds. */
  readonly callMs?: number;
}

interface Spender {
  readonly store: Store;
  readonly settings: BudgetSettings;
  readonly callMs: number;
}

/**
 * A process whose runs spend until a limit stops them: `node budget-process.ts <spending>…`, each spending as JSON. It
 * reports reserved calls on standard output. An output token costs a cent, and input is free.
 */
const spendings = process.argv.slice(2).map((given): Spending => JSON.parse(given));
const runtime = systemRuntime();
const random = seededRandom(process.pid);
const never = new AbortController().signal;
const CALL = {
  model: "m",
  inputTokens: 0,
  maxTokens: 1_000,
  price: { input: 0, output: 10_000, cacheRead: 0, cacheWrite: 0 },
};

async function spendAll({ url, settings, accounts, callMs = 20 }: Spending): Promise<void> {
  const store = await openStore(url, runtime);
  const spent = accounts.map((account) =>
    spend(account, { store, settings, callMs }).catch((error: unknown) => {
      if (!(error instanceof BudgetStop)) throw error;
    }),
  );
  await Promise.all(spent);
  await store.close();
}

async function spend(account: BudgetAccount, { store, settings, callMs }: Spender): Promise<void> {
  const clock = { ...runtime.clock, sleep: (_ms: number, signal: AbortSignal) => runtime.clock.sleep(5, signal) };
  const { isJob: _isJob, ...owner } = account;
  const budget = new RunBudget({ store, runtime: { ...runtime, clock }, settings, account, epoch: 0 });
  for (let turn = 1; ; turn += 1) {
    const reserving = budget.reserve(CALL, never);
    let next = await reserving.next();
    while (!next.done) next = await reserving.next();
    process.stdout.write("reserved\n");
    await setTimeout(random.next() * callMs);
    // Half of the calls write all that they may.
    const outputTokens = Math.ceil(next.value * Math.min(1, random.next() * 2));
    const usage = { inputTokens: 0, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const at = runtime.clock.now();
    const entry = {
      ...owner,
      turn,
      model: "a/m",
      stopReason: "end_turn" as const,
      usage,
      costUsd: outputTokens / 100,
      at,
    };
    await store.transaction((tx) => tx.usage.add(entry));
  }
}

await Promise.all(spendings.map(spendAll));
