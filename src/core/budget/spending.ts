import type { Store } from "../store/store.ts";
import type { Spending } from "../tool.ts";
import { startOfDay } from "./limits.ts";

/** The cost so far of a run, its session and the UTC day. */
export function spendingOf(
  store: Store,
  { runId, sessionId }: { readonly runId: string; readonly sessionId: string },
  now: number,
): Promise<Spending> {
  return store.transaction(async ({ budgets }) => ({
    runUsd: (await budgets.spent({ runIds: [runId] })).costUsd,
    sessionUsd: (await budgets.spent({ sessionIds: [sessionId] })).costUsd,
    dayUsd: (await budgets.spent({ since: startOfDay(now) })).costUsd,
  }));
}
