import type {
  Pressed,
  SessionChange,
  SessionChoices,
  SessionList,
  SessionQuery,
  TeamSession,
} from "../../sessions/team-sessions.ts";
import { get, nullIfNotFound, post, problemOf } from "../section/request.ts";
import { newId } from "../state/new-id.ts";
import type { PageState } from "../state/state.ts";

/** Requests about sessions. Null if nothing is found, or nothing that this person may see. */

export function fetchSessions(query: SessionQuery): Promise<SessionList | null> {
  return nullIfNotFound(get("/sessions", { ...query, leastUsd: query.leastUsd || null }));
}

export function fetchChoices(): Promise<SessionChoices> {
  return get("/sessions/choices");
}

export function fetchSession(id: string): Promise<TeamSession | null> {
  return nullIfNotFound(get(`/sessions/${encodeURIComponent(id)}`));
}

export function fetchChange(id: string, path: string): Promise<SessionChange | null> {
  return nullIfNotFound(get(`/sessions/${encodeURIComponent(id)}/change`, { path }));
}

/** Presses a button; resolves with the answer to show. */
export async function press(sessionId: string, action: string, state: PageState): Promise<Pressed> {
  try {
    return await post(`/sessions/${encodeURIComponent(sessionId)}/press`, { clickId: newId(), action }, state);
  } catch (error) {
    return { words: problemOf(error), files: [] };
  }
}
