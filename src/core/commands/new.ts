import type { ChatCommand } from "../command-line/command.ts";
import { noSessionReply } from "../command-line/outside-threads.ts";
import { privateMessage } from "../platform/replies.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";
import { isTreeBusy } from "../subagents/children.ts";

export const newCommand: ChatCommand = {
  name: "new",
  description: "start a new session here, without the conversation so far",
  permission: "people",
  async run(_line, context) {
    const { store, runtime, session, person } = context;
    if (session === null) return privateMessage(noSessionReply("leave behind", context));
    const fresh = { id: runtime.ids.next("ses"), createdBy: person.id, at: runtime.clock.now() };
    const isBegun = await store.transaction((tx) => beginNewSession(tx, session, fresh));
    if (!isBegun) return privateMessage("I'm still working here. Send `/stop` first, then `/new`.");
    return privateMessage("✓ A new session starts here, without the conversation so far.");
  },
};

/**
 * Starts a new session without history in a session's thread. Returns false while the session or one of its sub-agents
 * is working or about to. `at` is in milliseconds since the epoch.
 */
export async function beginNewSession(
  tx: StoreTransaction,
  session: SessionRow,
  fresh: { readonly id: string; readonly createdBy: string; readonly at: number },
): Promise<boolean> {
  await tx.sessions.lock(session.id);
  if (await isTreeBusy(tx, session.id, fresh.at)) return false;
  await tx.sessions.startNewSession(session, fresh);
  return true;
}
