import type { Person } from "../../core/platform/thread.ts";
import type { OpenFeature } from "../../feature.ts";

/** What the page's server asks about accounts. */
export type Logins = NonNullable<OpenFeature["logins"]>;
export type ProviderLogin = NonNullable<Logins["provider"]>;
export type ProviderSecrets = Parameters<ProviderLogin["begin"]>[1];
export type ProviderOutcome = Awaited<ReturnType<ProviderLogin["finish"]>>;
export type ProviderRefusal = Exclude<ProviderOutcome, { readonly type: "signed_in" }>;
type SignedIn = NonNullable<Awaited<ReturnType<Logins["signedIn"]>>>;
export type AccountRole = SignedIn["role"];

/** In ascending order. */
export const ROLES = ["viewer", "operator", "admin"] as const satisfies readonly AccountRole[];

export interface Account {
  readonly name: string;
  readonly role: AccountRole;
  /** Empty if the account belongs to an identity of a provider; no password matches it. */
  readonly passwordHash: string;
  /** The provider's identity that signs in as this account; null if a password does. */
  readonly identity: Identity | null;
  readonly createdAt: number;
  /** Null if nobody has signed in yet. */
  readonly signedInAt: number | null;
}

/** Permanent identity at an OpenID Connect provider. Names and email addresses may pass to other people. */
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

/** A stored role; the lowest one if this version does not know it. */
export function readRole(text: string): AccountRole {
  return ROLES.find((role) => role === text) ?? "viewer";
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,31}$/u;
/** `web:local` stands for whoever holds this machine's key of the page. */
const NOT_NAMES: ReadonlySet<string> = new Set(["local", "deckhand"]);

/** Names are lower case, however they are typed. */
export function accountName(typed: string): string {
  return typed.trim().toLowerCase();
}

/** Why this cannot be an account's name, as a sentence; null if it can. */
export function nameProblem(name: string): string | null {
  if (!NAME.test(name))
    return "A name is at most 32 letters, digits, dots, - and _, and starts with a letter or digit.";
  return NOT_NAMES.has(name) ? `The name ${name} is reserved.` : null;
}

/** In characters. Source: NIST SP 800-63B, 3.1.1.2: at least eight, or fifteen if the password is the only factor. */
const PASSWORD_CHARS = { least: 12, most: 256 };

/** Why this cannot be a password, as a sentence; null if it can. */
export function passwordProblem(password: string): string | null {
  const { length } = password;
  if (length < PASSWORD_CHARS.least) return `A password has at least ${PASSWORD_CHARS.least} characters.`;
  if (length > PASSWORD_CHARS.most) return `A password has at most ${PASSWORD_CHARS.most} characters.`;
  return new Set(password).size < 4 ? "A password cannot repeat the same few characters." : null;
}

/** Normalises a password, so that it does not depend on the keyboard. Source: NIST SP 800-63B, 3.1.1.2. */
export function normalised(password: string): string {
  return password.normalize("NFKC");
}

const PREFIX = "web:";

/** The account as a person. Its roles hold the linked people, so that rules that name these apply to it, too. */
export function personOf({ name }: Pick<Account, "name">, links: readonly AccountLink[]): Person {
  const roles = links.map(({ personId }) => personId);
  return { id: `${PREFIX}${name}`, name, isBot: false, isGuest: false, isExternal: false, roles };
}

/** The account's name in a person's id; null if the person is not an account. */
export function nameIn(personId: string): string | null {
  const name = personId.startsWith(PREFIX) ? personId.slice(PREFIX.length) : "";
  return nameProblem(name) === null ? name : null;
}
