import type { Route } from "./state.ts";

/**
 * What the page shows, as the fragment of its address: a thread's id, `/sessions`, `/sessions/<id>`, or a section's
 * name followed by its own part: `/audit/login.failed`.
 */

const TEAM = /^#\/sessions(?:\/([^/]+))?$/u;
const SECTION = /^#\/([a-z]+)(?:\/(.*))?$/u;

export function routeIn(hash = location.hash): Route {
  const match = TEAM.exec(hash);
  if (match !== null) {
    return { openId: null, team: { sessionId: match[1] === undefined ? null : decoded(match[1]) }, section: null };
  }
  const [, name, rest = ""] = SECTION.exec(hash) ?? [];
  if (name !== undefined) return { openId: null, team: null, section: { name, rest } };
  const id = hash.slice(1);
  return { openId: id === "" || id.startsWith("/") ? null : id, team: null, section: null };
}

export function addressOf({ openId, team, section }: Route): string {
  if (section !== null) return `#/${section.name}${section.rest === "" ? "" : `/${section.rest}`}`;
  if (team === null) return `#${openId ?? ""}`;
  return team.sessionId === null ? "#/sessions" : `#/sessions/${encodeURIComponent(team.sessionId)}`;
}

/** Decodes a part of the address, or returns it unchanged if it is not valid percent-encoding. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
