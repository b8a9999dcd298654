import type { Person } from "../protocol/platform.ts";

/** Who decides what asks first. Entries are as in access rules. */
export interface ApprovalRules {
  readonly approvers: readonly string[];
  /** Whether the person who asked may decide. */
  readonly requester: boolean;
  readonly expiresMinutes: number;
  /** Admins may always decide. */
  readonly admins: readonly string[];
}

type Clicker = Pick<Person, "id" | "roles">;

/** Whether a person may decide on what `requesterId` has asked for. */
export function mayDecide(person: Clicker, requesterId: string, rules: ApprovalRules): boolean {
  if (rules.requester && person.id === requesterId) return true;
  const named = [...rules.approvers, ...rules.admins];
  return [person.id, ...person.roles].some((id) => named.includes(id));
}

/** As the card says it: `@ana or an approver`. */
export function decidersText(requesterName: string, rules: ApprovalRules): string {
  const others = rules.approvers.length + rules.admins.length > 0 ? "an approver" : null;
  const requester = rules.requester ? `@${requesterName}` : null;
  const names = [requester, others].filter((name) => name !== null);
  return names.length === 0 ? "nobody: an operator must set `approvals.approvers`" : names.join(" or ");
}
