import { setTimeout } from "node:timers/promises";
import { BudgetStop, RunBudget } from "../../../src/core/budget/run-budget.ts";
import { openStore } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { seededRandom } from "../../support/runtime.ts";

/**
 * A process whose runs spend until a limit stops them: `node budget-process.ts <database> <limits> <account>…`, each of these
 * as JSON. It tells on standard output when a call is reserved. A token of output costs a cent, and input nothing.
 */
const [url = "", limits = "{}", ...accounts] = process.argv.slice(2);
const runtime = systemRuntime();
const store = await openStore(url, runtime);
const random = seededRandom(process.pid);
const never = new AbortController().signal;
const CALL = {
  model: "m",
  inputTokens: 0,
  maxTokens: 1_000,
  price: { input: 0, output: 10_000, cacheRead: 0, cacheWrite: 0 },
};

async function spendAll(account: ConstructorParameters<typeof RunBudget>[0]["account"]): Promise<void> {
  const clock = { ...runtime.clock, sleep: (_ms: number, signal: AbortSignal) => runtime.clock.sleep(5, signal) };
  const settings = JSON.parse(limits);
  const { isJob: _isJob, ...owner } = account;
  const budget = new RunBudget({ store, runtime: { ...runtime, clock }, settings, account, epoch: 0 });
  for (let turn = 1; ; turn += 1) {
    const reserving = budget.reserve(CALL, never);
    let next = await reserving.next();
    while (!next.done) next = await reserving.next();
    process.stdout.write("reserved\n");
    await setTimeout(random.next() * 20);
    // Many write all that they may.
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

await Promise.all(
  accounts.map((account) =>
    spendAll(JSON.parse(account)).catch((error: unknown) => {
      if (!(error instanceof BudgetStop)) throw error;
    }),
  ),
);
await store.close();
