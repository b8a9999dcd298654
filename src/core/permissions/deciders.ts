import { escapeMarkdown } from "../text/plain-text.ts";
import { isNamed, type Named } from "./access.ts";

/** Who decides on calls that need an approval. Entries are as in access rules. */
export interface ApprovalRules {
  readonly approvers: readonly string[];
  /** Whether the person who asked may decide. */
  readonly requester: boolean;
  readonly expiresMinutes: number;
  /** Admins may always decide. */
  readonly admins: readonly string[];
}

/** Whether a person may decide on what `requesterId` has asked for. */
export function mayDecide(person: Named, requesterId: string, rules: ApprovalRules): boolean {
  return (rules.requester && person.id === requesterId) || isNamed(person, [...rules.approvers, ...rules.admins]);
}

/** The people who may decide, for the card: `@ana or an approver`. */
export function decidersText(requesterName: string, rules: ApprovalRules): string {
  return named(requesterName, rules) ?? "an approver: an operator must first set `approvals.approvers`";
}

/** The people who may decide, for somebody who may not: `@ana or an approver may.` */
export function decidersSentence(requesterName: string, rules: ApprovalRules): string {
  const names = named(requesterName, rules);
  if (names === null) return "Nobody can: an operator must first set `approvals.approvers`.";
  return `Only ${names} can.`;
}

function named(requesterName: string, { approvers, admins, requester }: ApprovalRules): string | null {
  const others = approvers.length + admins.length > 0 ? ["an approver"] : [];
  const names = [...(requester ? [`@${escapeMarkdown(requesterName)}`] : []), ...others];
  return names.length === 0 ? null : names.join(" or ");
}
