import type { Route } from "./state.ts";

/** What the page shows, as the fragment of its address: a thread's id, or a section's name and own part: `/jobs/<id>`. */

/** Name of the section with the sessions of all platforms, which has a main part of its own. */
export const SESSIONS = "sessions";

const SECTION = /^#\/([a-z]+)(?:\/(.*))?$/u;

export function routeIn(hash = location.hash): Route {
  const [, name, rest = ""] = SECTION.exec(hash) ?? [];
  if (name !== undefined) return { openId: null, section: { name, rest } };
  const id = hash.slice(1);
  return { openId: id === "" || id.startsWith("/") ? null : id, section: null };
}

export function addressOf({ openId, section }: Route): string {
  if (section === null) return `#${openId ?? ""}`;
  return `#/${section.name}${section.rest === "" ? "" : `/${section.rest}`}`;
}

/** Decodes a part of the address, or returns it unchanged if it is not valid percent-encoding. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
