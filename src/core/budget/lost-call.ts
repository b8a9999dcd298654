import { NO_USAGE } from "../protocol/usage.ts";
import type { StoreTransaction } from "../store/store.ts";

/**
 * Settles what the run has reserved for a call that goes on no more and of which nobody knows how far it came, since its
 * process was killed or the database was away: its request is charged. `at` is in milliseconds since the epoch.
 */
export async function chargeLost(tx: StoreTransaction, runId: string, at: number): Promise<void> {
  const lost = await tx.budgets.takeLost(runId);
  if (lost === null) return;
  const { sessionId, personId, channelId, model, inputTokens, inputUsd: costUsd } = lost;
  const usage = { ...NO_USAGE, inputTokens };
  await tx.usage.addCut({ runId, sessionId, personId, channelId, model, usage, costUsd, at });
}
