import { NO_USAGE } from "../protocol/usage.ts";
import type { StoreTransaction } from "../store/store.ts";

/**
 * Settles the run's reservation for a call that no longer runs and whose progress is unknown, because its process was
 * killed or the database was unavailable. Charges the call's request. `at`: milliseconds since the epoch.
 */
export async function chargeLost(tx: StoreTransaction, runId: string, at: number): Promise<void> {
  const lost = await tx.budgets.takeLost(runId);
  if (lost === null) return;
  const { sessionId, personId, channelId, model, inputTokens, inputUsd: costUsd } = lost;
  const usage = { ...NO_USAGE, inputTokens };
  await tx.usage.addCut({ runId, sessionId, personId, channelId, model, usage, costUsd, at });
}
