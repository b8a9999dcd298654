import type { Opened } from "./state.ts";

/**
 * What the page shows, as the part of its address behind `#`: a thread's id, `/sessions`, `/sessions/<id>`, or a section
 * by its name and what it makes of the rest: `/audit/login.failed`.
 */

const TEAM = /^#\/sessions(?:\/([^/]+))?$/u;
const SECTION = /^#\/([a-z]+)(?:\/(.*))?$/u;

export function inAddress(hash = location.hash): Opened {
  const match = TEAM.exec(hash);
  if (match !== null) {
    return { openId: null, team: { sessionId: match[1] === undefined ? null : decoded(match[1]) }, section: null };
  }
  const [, name, rest = ""] = SECTION.exec(hash) ?? [];
  if (name !== undefined) return { openId: null, team: null, section: { name, rest } };
  const id = hash.slice(1);
  return { openId: id === "" || id.startsWith("/") ? null : id, team: null, section: null };
}

export function addressOf({ openId, team, section }: Opened): string {
  if (section !== null) return `#/${section.name}${section.rest === "" ? "" : `/${section.rest}`}`;
  if (team === null) return `#${openId ?? ""}`;
  return team.sessionId === null ? "#/sessions" : `#/sessions/${encodeURIComponent(team.sessionId)}`;
}

/** What somebody has typed into the address may be no such text: it is taken as it is, then. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
