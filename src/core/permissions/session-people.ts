import type { Person } from "../protocol/platform.ts";
import type { AccessRules } from "./access.ts";

type Named = Pick<Person, "id" | "roles">;

export function isNamed(person: Named, list: readonly string[]): boolean {
  return [person.id, ...person.roles].some((id) => list.includes(id));
}

export function isAdmin(person: Named, { admins }: Pick<AccessRules, "admins">): boolean {
  return isNamed(person, admins);
}

/**
 * Whether a person may change a session, which others work in: its people may, who have begun it or asked something of the
 * agent in its thread, where all can read it; and admins. What nobody has begun yet is everybody's.
 */
export function mayChangeSession(
  person: Named,
  session: { readonly people: readonly string[] } | null,
  access: Pick<AccessRules, "admins">,
): boolean {
  return session === null || session.people.includes(person.id) || isAdmin(person, access);
}
