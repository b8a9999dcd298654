import type { Opened } from "./state.ts";

/** What the page shows, as the part of its address behind `#`: a thread's id, `/sessions`, or `/sessions/<id>`. */

const TEAM = /^#\/sessions(?:\/([^/]+))?$/u;

export function inAddress(hash = location.hash): Opened {
  const match = TEAM.exec(hash);
  if (match !== null) return { openId: null, team: { sessionId: match[1] === undefined ? null : decoded(match[1]) } };
  const id = hash.slice(1);
  return { openId: id === "" || id.startsWith("/") ? null : id, team: null };
}

export function addressOf({ openId, team }: Opened): string {
  if (team === null) return `#${openId ?? ""}`;
  return team.sessionId === null ? "#/sessions" : `#/sessions/${encodeURIComponent(team.sessionId)}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
