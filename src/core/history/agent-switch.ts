import type { StoreTransaction } from "../store/store.ts";
import { isSessionBusy } from "../subagents/children.ts";

/**
 * Gives a session another agent. Returns false while a run is open or about to begin: a run keeps its agent across
 * restarts and waits, and a message for another agent switches only when its own run begins.
 */
export async function switchAgent(
  tx: StoreTransaction,
  { sessionId, agent, at }: { readonly sessionId: string; readonly agent: string; readonly at: number },
): Promise<boolean> {
  await tx.sessions.lock(sessionId);
  if (await isSessionBusy(tx, sessionId, at)) return false;
  await tx.sessions.setAgent(sessionId, agent);
  return true;
}

export function stillRunning(agent: string): string {
  return `**${agent}** is still working here. Let it finish, \`/stop\` it, or queue the next task with \`@<name> …\`.`;
}

export function agentSwitched(agent: string, before: string): string {
  return `✓ **${agent}** answers in this thread from now on. \`/agent ${before}\` switches back.`;
}

export function agentSwitchesNext(agent: string, before: string): string {
  return `✓ **${agent}** takes over once **${before}** is done here. \`/agent ${before}\` then switches back.`;
}
