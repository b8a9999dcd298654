import type { Pressed, SessionChoices } from "../../sessions/team-sessions.ts";
import { get, post, problemOf } from "../section/request.ts";
import { newId } from "../state/new-id.ts";
import type { PageState } from "../state/state.ts";

export function fetchChoices(signal: AbortSignal): Promise<SessionChoices> {
  return get("/sessions/choices", {}, signal);
}

/** Presses a button of a session; resolves with the answer to show. */
export async function press(sessionId: string, action: string, state: PageState): Promise<Pressed> {
  try {
    return await post(`/sessions/${encodeURIComponent(sessionId)}/press`, { clickId: newId(), action }, state);
  } catch (error) {
    return { words: problemOf(error), files: [] };
  }
}
