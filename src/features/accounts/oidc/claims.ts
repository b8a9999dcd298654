import { hash } from "node:crypto";
import { type AccountRole, ROLES } from "../account.ts";

/** A provider's claims about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** The groups in a claim; null if the provider does not state any. */
export function groupsIn(claims: Claims, claim: string): readonly string[] | null {
  const value = claims[claim] ?? claim.split(".").reduce<unknown>(within, claims);
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  // Zitadel gives an object with the roles as keys and the organisations that grant them as values.
  const named = typeof value === "object" && value !== null ? Object.entries(value) : null;
  return named?.every(([, by]) => typeof by === "object") === true ? named.map(([name]) => name) : null;
}

/** Whether the provider left out the groups as too many. Source: Microsoft's docs, Groups overage claim. */
export function isOverfull(claims: Claims, claim: string): boolean {
  return within(claims["_claim_names"], claim) !== undefined || claims["hasgroups"] !== undefined;
}

function within(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(key) : undefined;
}

/** The highest role that the groups give; null if none gives one. */
export function roleOf(groups: readonly string[], roles: ReadonlyMap<string, AccountRole>): AccountRole | null {
  const given = new Set(groups.map((group) => roles.get(group)));
  return ROLES.findLast((role) => given.has(role)) ?? null;
}

/** Maximum length of a name's readable part, and lengths of its unique part, in characters. */
const READABLE_CHARS = 20;
const OWN_CHARS = [6, 11] as const;

/**
 * Names for an account, in order of preference. People choose their own names at a provider, and rules refer to
 * accounts by name, so each name contains a hash of issuer and subject that makes it this person's alone.
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
