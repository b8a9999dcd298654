import { hash } from "node:crypto";
import { type AccountRole, ROLES } from "../account.ts";

/** What a provider says of somebody. */
export type Claims = Readonly<Record<string, unknown>>;

/** The groups that the claim names; null where the provider has not said. */
export function groupsIn(claims: Claims, claim: string): readonly string[] | null {
  const value = claims[claim] ?? claim.split(".").reduce<unknown>(within, claims);
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  // Zitadel has what somebody is by its name, with the organisations that say so beneath it.
  const named = typeof value === "object" && value !== null ? Object.entries(value) : null;
  return named?.every(([, by]) => typeof by === "object") === true ? named.map(([name]) => name) : null;
}

/** Whether the provider has left the groups out because they are too many. Source: Microsoft's docs, Groups overage claim. */
export function isOverfull(claims: Claims, claim: string): boolean {
  return within(claims["_claim_names"], claim) !== undefined || claims["hasgroups"] !== undefined;
}

function within(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(key) : undefined;
}

/** The highest role of somebody's groups; null where none of these gives one. */
export function roleOf(groups: readonly string[], roles: ReadonlyMap<string, AccountRole>): AccountRole | null {
  const given = new Set(groups.map((group) => roles.get(group)));
  return ROLES.findLast((role) => given.has(role)) ?? null;
}

/** Characters of the readable part, and of what makes a name one person's alone. */
const READABLE_CHARS = 20;
const OWN_CHARS = [6, 11] as const;

/**
 * Names for an account, the first one first. People choose what a provider calls them, and rules name accounts: what comes
 * of issuer and subject in a name makes that it is nobody's but theirs.
 */
export function accountNames(issuer: string, subject: string, claims: Claims): readonly string[] {
  const called = claims["preferred_username"] ?? claims["name"];
  const readable = (typeof called === "string" ? called : "")
    .split("@", 1)
    .join("")
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replace(/^-/u, "")
    .slice(0, READABLE_CHARS)
    .replace(/-$/u, "");
  const own = BigInt(`0x${hash("sha256", JSON.stringify([issuer, subject]))}`).toString(36);
  return OWN_CHARS.map((chars) => `${readable === "" ? "person" : readable}-${own.slice(-chars)}`);
}
