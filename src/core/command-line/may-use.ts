import { isAdmin, isNamed, mayChangeSession } from "../permissions/access.ts";
import type { ChatCommand, CommandContext } from "./command.ts";

/**
 * Whether the person may grant more than the channel's configuration does. Only configured admins and approvers may. If
 * none are configured, the setting that lets people decide on their own requests applies.
 */
export function mayRaise({
  person,
  access,
  approvals,
}: Pick<CommandContext, "person" | "access" | "approvals">): boolean {
  const trusted = [...access.admins, ...approvals.approvers];
  return trusted.length === 0 ? approvals.requester : isNamed(person, trusted);
}

/**
 * Why the person may not use the command here; null if they may. If `line` is null, the command counts as changing
 * something.
 */
export function commandRefusal(
  command: ChatCommand,
  line: string | null,
  { person, session, access }: CommandContext,
): string | null {
  const isLook = line !== null && (command.onlyShows?.(line) ?? false);
  if (command.permission === "everyone" || isLook || isAdmin(person, access)) return null;
  if (command.permission === "admin") {
    return `\`/${command.name}\` is for admins. An operator can name you (\`access.admins\`).`;
  }
  if (mayChangeSession(person, session, access)) return null;
  return `\`/${command.name}\` is for people who work with me in this thread. Mention me here with a request first.`;
}
