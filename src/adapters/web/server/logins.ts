import type { Person } from "../../../core/protocol/platform.ts";

/** viewer: reads; operator: takes part as well; admin: as an operator, and looks after accounts. */
export type AccountRole = "viewer" | "operator" | "admin";

/** Whose browser it is. */
export interface SignedIn {
  readonly name: string;
  readonly role: AccountRole;
  /** As whom they take part: what an account may do here adds nothing to what `access` lets this person do. */
  readonly person: Person;
}

export interface Attempt {
  readonly name: string;
  readonly password: string;
  /** Network address of the browser. */
  readonly address: string;
  /** What makes the browser known, where this account was signed in from it before; null: a stranger's. */
  readonly device: string | null;
}

/** `token` is for the browser alone: only its hash is kept. `wait`: the password was not even looked at. */
export type Outcome =
  | { readonly type: "signed_in"; readonly token: string; readonly name: string }
  | { readonly type: "wrong" }
  | { readonly type: "wait"; readonly seconds: number };

export type FirstOutcome =
  | Extract<Outcome, { type: "signed_in" }>
  /** There is an account by now. */
  | { readonly type: "taken" }
  /** A sentence about what was filled in. */
  | { readonly type: "invalid"; readonly problem: string };

/** Why nobody is signed in, in a sentence. `unavailable`: by no fault of theirs. */
interface Refusal {
  readonly type: "refused" | "unavailable";
  readonly problem: string;
}

/** What a sign-in at the provider is known by again: another three for each. */
export interface ProviderSecrets {
  readonly state: string;
  readonly nonce: string;
  /** PKCE's. */
  readonly verifier: string;
}

/** Signing in where a provider of OpenID Connect vouches for people. */
export interface ProviderLogin {
  /** What the button calls it. */
  readonly label: string;
  /** Where the browser goes; it comes back to `redirectUri`. */
  begin(
    redirectUri: string,
    secrets: ProviderSecrets,
  ): Promise<{ readonly type: "at"; readonly address: string } | Refusal>;
  finish(given: {
    /** The whole address that the browser came back to. */
    readonly answered: URL;
    readonly secrets: ProviderSecrets;
    /** Network address of the browser. */
    readonly address: string;
  }): Promise<Extract<Outcome, { type: "signed_in" }> | Refusal>;
}

/** Accounts and the sessions of browsers, as the page's server asks about them. */
export interface Logins {
  /** Null where none is set. */
  readonly provider: ProviderLogin | null;
  /** False: only from who comes by a printed address. */
  readonly takesPasswords: boolean;
  hasAccounts(): Promise<boolean>;
  /** The first account, an admin's. */
  createFirst(given: { readonly name: string; readonly password: string }): Promise<FirstOutcome>;
  signIn(attempt: Attempt): Promise<Outcome>;
  /** Null where the session has ended or never was. `isUse`: it counts against the idle limit that somebody is there. */
  signedIn(token: string, isUse: boolean): Promise<SignedIn | null>;
  signOut(token: string): Promise<void>;
  /** Whether a ticket is used for the first time, at whatever process, within that time; null: this one alone serves. */
  readonly firstUse: ((ticket: string, forMs: number) => Promise<boolean>) | null;
  /** The account's person by their id, as they take part; null where there is no such account. */
  personOf(personId: string): Promise<Person | null>;
}
