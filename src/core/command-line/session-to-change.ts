import { settingsInForce } from "../events/session-settings.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { CommandContext } from "./command.ts";

/** The session with the settings in force for the person or, if there is none, as it would begin. */
export function effectiveSession({ session, channelKey, agentOf, runtime, person }: CommandContext) {
  if (session === null) return { channelKey, agent: agentOf(channelKey), settings: {} };
  return { ...session, settings: settingsInForce(session.settings, { now: runtime.clock.now(), askers: [person.id] }) };
}

/** The session whose settings a command changes. Opens one if necessary; null if there is no thread for it. */
export async function sessionToChange({ session, openSession }: CommandContext): Promise<SessionRow | null> {
  return session ?? (openSession === null ? null : await openSession());
}

export const NO_THREAD = "This works only in a thread: mention me there, and write the command after it.";
