import type { AccessRules } from "../permissions/access.ts";
import type { Person } from "../protocol/platform.ts";
import type { ChatCommand, CommandContext } from "./command.ts";

type Named = Pick<Person, "id" | "roles">;

function isNamed(person: Named, list: readonly string[]): boolean {
  return [person.id, ...person.roles].some((id) => list.includes(id));
}

export function isAdmin(person: Named, { admins }: AccessRules): boolean {
  return isNamed(person, admins);
}

/**
 * More than configuration gives a place is for those whom it names to decide; where it names nobody, for whoever decides
 * on what they ask for themselves.
 */
export function mayRaise({
  person,
  access,
  approvals,
}: Pick<CommandContext, "person" | "access" | "approvals">): boolean {
  const trusted = [...access.admins, ...approvals.approvers];
  return trusted.length === 0 ? approvals.requester : isNamed(person, trusted);
}

/** Why the person may not use the command here, in words; null when they may. */
export function commandRefusal(command: ChatCommand, { person, session, access }: CommandContext): string | null {
  if (command.permission === "everyone" || isAdmin(person, access)) return null;
  if (command.permission === "admin") {
    return `\`/${command.name}\` is for admins. An operator can name you (\`access.admins\`).`;
  }
  if (session === null || session.people.length === 0 || session.people.includes(person.id)) return null;
  return `\`/${command.name}\` is for those who work with me in this thread. Mention me here with a request first.`;
}
