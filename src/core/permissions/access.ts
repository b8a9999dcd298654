import type { Person } from "../platform/thread.ts";

/** Who is served. Entries are `slack:U1`, `discord:1`, `discord:role:1`, `web:local`. */
export interface AccessRules {
  readonly admins: readonly string[];
  /** If set, only these people and admins are served. */
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
  readonly guests: boolean;
  readonly external: boolean;
  /** The only workspaces served, for each platform named here: `slack:T1`, `discord:1`. */
  readonly workspaces?: readonly string[];
}

/** Why a person is not served, in words for that person; null if they are. */
export function accessRefusal(person: Person, rules: AccessRules): string | null {
  if (person.isBot) return "I don't answer other bots.";
  if (isNamed(person, rules.deny)) return "You can't use me here. An operator can change that (`access.deny`).";
  if (isAdmin(person, rules)) return null;
  if (rules.allow !== undefined) {
    const isAllowed = isNamed(person, rules.allow);
    return isAllowed ? null : "Only some people may use me here. An operator can add you (`access.allow`).";
  }
  if (person.isExternal && !rules.external) {
    return "I only answer people from this workspace. An operator can change that (`access.external`).";
  }
  if (person.isGuest && !rules.guests) return "I don't answer guests. An operator can change that (`access.guests`).";
  return null;
}

/** Whether a person is served, for adapters that read nothing from people who are not. */
export function createServedCheck(rules: AccessRules): (person: Person) => boolean {
  return (person) => accessRefusal(person, rules) === null;
}

export type Named = Pick<Person, "id" | "roles">;

export function isNamed(person: Named, list: readonly string[]): boolean {
  return [person.id, ...person.roles].some((id) => list.includes(id));
}

export function isAdmin(person: Named, { admins }: Pick<AccessRules, "admins">): boolean {
  return isNamed(person, admins);
}

/**
 * Whether a person may change a session that others also work in. Admins may, and so may the session's people, who
 * began it or asked the agent something in its thread, where all can read it. A session that does not exist yet is open
 * to all.
 */
export function mayChangeSession(
  person: Named,
  session: { readonly people: readonly string[] } | null,
  access: Pick<AccessRules, "admins">,
): boolean {
  return session === null || session.people.includes(person.id) || isAdmin(person, access);
}
