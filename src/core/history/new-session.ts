import type { FreshSession, SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";
import { isTreeBusy } from "../subagents/children.ts";

/**
 * Starts a new session without history in a session's thread. Returns false while the session or one of its sub-agents
 * is working or about to. `at` is in milliseconds since the epoch.
 */
export async function beginNewSession(
  tx: StoreTransaction,
  session: SessionRow,
  fresh: FreshSession,
): Promise<boolean> {
  await tx.sessions.lock(session.id);
  if (await isTreeBusy(tx, session.id, fresh.at)) return false;
  await tx.sessions.startNewSession(session, fresh);
  return true;
}
