import type { Person } from "../protocol/platform.ts";

/** Who is served. Entries are `slack:U1`, `discord:1`, `discord:role:1`, `web:local`. */
export interface AccessRules {
  readonly admins: readonly string[];
  /** When set, only these people and admins are served. */
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
  readonly guests: boolean;
  readonly external: boolean;
  /** The only ones that are served, of a platform that is named here: `slack:T1`, `discord:1`. */
  readonly workspaces?: readonly string[];
}

/** Why a person is not served, in words for that person; null when they are. */
export function accessRefusal(person: Person, rules: AccessRules): string | null {
  const isNamed = (list: readonly string[]) => [person.id, ...person.roles].some((id) => list.includes(id));
  if (person.isBot) return "I do not answer other bots.";
  if (isNamed(rules.deny)) return "You may not use me here. An operator can change that (`access.deny`).";
  if (isNamed(rules.admins)) return null;
  if (rules.allow !== undefined) {
    return isNamed(rules.allow) ? null : "Only some people may use me here. An operator can add you (`access.allow`).";
  }
  if (person.isExternal && !rules.external) {
    return "I only answer people of this workspace. An operator can change that (`access.external`).";
  }
  if (person.isGuest && !rules.guests) return "I do not answer guests. An operator can change that (`access.guests`).";
  return null;
}

/** Whether a person is served at all, for adapters that read nothing of those who are not. */
export function servedBy(rules: AccessRules): (person: Person) => boolean {
  return (person) => accessRefusal(person, rules) === null;
}
