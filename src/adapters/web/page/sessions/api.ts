import type {
  Pressed,
  SessionChange,
  SessionChoices,
  SessionList,
  SessionQuery,
  TeamSession,
} from "../../sessions/team-sessions.ts";
import { post, problemOf } from "../section/request.ts";
import { newId } from "../state/new-id.ts";
import type { PageState } from "../state/state.ts";

/** What the page asks about sessions. Null: there is nothing, or nothing that this person may see. */

export function fetchSessions(query: SessionQuery): Promise<SessionList | null> {
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === "" || value === 0 ? [] : [[name, `${value}`]],
  );
  return get(`/sessions?${new URLSearchParams(asked).toString()}`);
}

export function fetchChoices(): Promise<SessionChoices | null> {
  return get("/sessions/choices");
}

export function fetchSession(id: string): Promise<TeamSession | null> {
  return get(`/sessions/${encodeURIComponent(id)}`);
}

export function fetchChange(id: string, path: string): Promise<SessionChange | null> {
  return get(`/sessions/${encodeURIComponent(id)}/change?${new URLSearchParams({ path }).toString()}`);
}

/** Presses a button; answers with what there is to say. */
export async function press(sessionId: string, action: string, state: PageState): Promise<Pressed> {
  try {
    return await post(`/sessions/${encodeURIComponent(sessionId)}/press`, { clickId: newId(), action }, state);
  } catch (error) {
    return { words: problemOf(error), files: [] };
  }
}

/** The server is the one that served this page: its answers are taken at their word. */
async function get<T>(path: string): Promise<T | null> {
  const response = await fetch(path);
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}
