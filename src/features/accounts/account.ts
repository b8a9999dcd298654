import type { Person } from "../../core/protocol/platform.ts";
import type { OpenFeature } from "../../feature.ts";

/** What the page's server asks. */
export type Logins = NonNullable<OpenFeature["logins"]>;
export type ProviderLogin = NonNullable<Logins["provider"]>;
export type ProviderSecrets = Parameters<ProviderLogin["begin"]>[1];
export type ProviderOutcome = Awaited<ReturnType<ProviderLogin["finish"]>>;
export type ProviderRefusal = Exclude<ProviderOutcome, { readonly type: "signed_in" }>;
type SignedIn = NonNullable<Awaited<ReturnType<Logins["signedIn"]>>>;
export type AccountRole = SignedIn["role"];

/** The least of them first. */
export const ROLES = ["viewer", "operator", "admin"] as const satisfies readonly AccountRole[];

export interface Account {
  readonly name: string;
  readonly role: AccountRole;
  /** Empty where a provider vouches for whose it is: it is nobody's password. */
  readonly passwordHash: string;
  /** Null: a password says whose it is. */
  readonly identity: Identity | null;
  readonly createdAt: number;
  /** Null: nobody ever has. */
  readonly signedInAt: number | null;
}

/** Who somebody is to a provider of OpenID Connect; names and addresses of theirs may become others'. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface AccountLink {
  /** `slack:U1` */
  readonly personId: string;
  readonly personName: string;
  readonly accountName: string;
}

/** A role as it is stored; the least of them where it is none that this version knows. */
export function readRole(text: string): AccountRole {
  return ROLES.find((role) => role === text) ?? "viewer";
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,31}$/u;
/** `web:local` is whoever holds the key of the page on this machine. */
const NOT_NAMES: ReadonlySet<string> = new Set(["local", "deckhand"]);

/** Names are small letters, however they are typed. */
export function accountName(typed: string): string {
  return typed.trim().toLowerCase();
}

/** Why it cannot be an account's name, in a sentence; null when it can. */
export function nameProblem(name: string): string | null {
  if (!NAME.test(name))
    return "A name is at most 32 letters, digits, dots, - and _, and begins with a letter or digit.";
  return NOT_NAMES.has(name) ? `The name ${name} is taken by Deckhand itself.` : null;
}

/** Characters. Source: NIST SP 800-63B, 3.1.1.2, which asks for eight, and for fifteen where nothing else is asked for. */
const PASSWORD_CHARS = { least: 12, most: 256 };

/** Why it cannot be a password, in a sentence; null when it can. */
export function passwordProblem(password: string): string | null {
  const { length } = password;
  if (length < PASSWORD_CHARS.least) return `A password has at least ${PASSWORD_CHARS.least} characters.`;
  if (length > PASSWORD_CHARS.most) return `A password has at most ${PASSWORD_CHARS.most} characters.`;
  return new Set(password).size < 4 ? "A password is more than the same few characters again and again." : null;
}

/** The same signs, whatever keyboard they were typed on. Source: NIST SP 800-63B, 3.1.1.2. */
export function normalised(password: string): string {
  return password.normalize("NFKC");
}

const PREFIX = "web:";

/** Roles hold the people that the account's owner has shown to be, so that rules that name these hold for them here. */
export function personOf({ name }: Pick<Account, "name">, links: readonly AccountLink[]): Person {
  const roles = links.map(({ personId }) => personId);
  return { id: `${PREFIX}${name}`, name, isBot: false, isGuest: false, isExternal: false, roles };
}

/** The account's name in the id of its person; null where it is nobody's of an account. */
export function nameIn(personId: string): string | null {
  const name = personId.startsWith(PREFIX) ? personId.slice(PREFIX.length) : "";
  return nameProblem(name) === null ? name : null;
}
