import type { SessionRow } from "../store/sessions.ts";
import type { CommandContext } from "./command.ts";

/** The session as it is; where there is none, as it would begin. */
export function hereOf({ session, channelKey, agentOf }: CommandContext) {
  return session ?? { channelKey, agent: agentOf(channelKey), settings: {} };
}

/** The session whose settings a command changes, begun if need be; null where there is no thread. */
export async function sessionToChange({ session, openSession }: CommandContext): Promise<SessionRow | null> {
  return session ?? (openSession === null ? null : await openSession());
}

export const NO_THREAD = "There is no thread here that this could hold for: in a thread, write it after mentioning me.";
