import type { SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";
import { isFamilyBusy } from "../subagents/children.ts";

/**
 * Gives a session's thread to a new one without history; false while the session or a sub-agent of it works or is about to.
 * `at` is in milliseconds since the epoch.
 */
export async function beginNewSession(
  tx: StoreTransaction,
  session: SessionRow,
  fresh: { readonly id: string; readonly createdBy: string; readonly at: number },
): Promise<boolean> {
  await tx.sessions.lock(session.id);
  if (await isFamilyBusy(tx, session.id, fresh.at)) return false;
  await tx.sessions.startNewSession(session, fresh);
  return true;
}
