import type { StoreTransaction } from "../store/store.ts";
import type { Claim } from "./engine.ts";

/**
 * Gives a session another agent, in the transaction that stores the message for it. Refused while a run is open or about
 * to begin: a run keeps the agent that it began with, over restarts and while it waits for people.
 */
export function claimAgent(sessionId: string, agent: string, at: number): Claim {
  return async (tx) => {
    if (await isAtWork(tx, sessionId, at)) return false;
    await tx.sessions.setAgent(sessionId, agent);
    return true;
  };
}

/** What waits is looked at first: an event that is taken between the two has begun a run by then. */
async function isAtWork(tx: StoreTransaction, sessionId: string, at: number): Promise<boolean> {
  if ((await tx.inbox.nextWaking(sessionId, at)) !== null) return true;
  return (await tx.runs.open(sessionId)) !== null;
}

export function stillAtWork(agent: string): string {
  return `**${agent}** is still at work here. \`/stop\` it or let it end, then send this again.`;
}

export function answersFromNowOn(agent: string, before: string): string {
  return `✓ **${agent}** answers in this thread from now on. \`/agent ${before}\` switches back.`;
}
