import type { Person } from "../../../core/platform/thread.ts";

/** A viewer reads, an operator also takes part, and an admin also manages accounts. */
export type AccountRole = "viewer" | "operator" | "admin";

export interface SignedIn {
  readonly name: string;
  readonly role: AccountRole;
  /** The person as whom the account takes part. The role grants nothing beyond what `access` allows this person. */
  readonly person: Person;
}

export interface Attempt {
  readonly name: string;
  readonly password: string;
  /** Network address of the browser. */
  readonly address: string;
  /** Id of the browser if the account was signed in from it before; null if it is unknown. */
  readonly device: string | null;
}

/** `token` goes only to the browser; the store keeps its hash. With `wait` the password was not checked. */
export type Outcome =
  | { readonly type: "signed_in"; readonly token: string; readonly name: string }
  | { readonly type: "wrong" }
  | { readonly type: "wait"; readonly seconds: number };

export type FirstOutcome =
  | Extract<Outcome, { type: "signed_in" }>
  /** Somebody else has created the first account meanwhile. */
  | { readonly type: "taken" }
  /** `problem` is a sentence about the input. */
  | { readonly type: "invalid"; readonly problem: string };

/** Why a sign-in failed, as a sentence. `unavailable` means that the person is not at fault. */
interface Refusal {
  readonly type: "refused" | "unavailable";
  readonly problem: string;
}

/** The secrets that identify one sign-in at the provider. */
export interface ProviderSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
}

/** Sign-in through an OpenID Connect provider. */
export interface ProviderLogin {
  /** The provider's name on the button. */
  readonly label: string;
  /** Returns the provider's address for the browser, which later returns to `redirectUri`. */
  begin(
    redirectUri: string,
    secrets: ProviderSecrets,
  ): Promise<{ readonly type: "at"; readonly address: string } | Refusal>;
  finish(given: {
    /** The full address to which the provider sent the browser back. */
    readonly answered: URL;
    readonly secrets: ProviderSecrets;
    /** Network address of the browser. */
    readonly address: string;
  }): Promise<Extract<Outcome, { type: "signed_in" }> | Refusal>;
}

/** Accounts and login sessions, as the web server uses them. */
export interface Logins {
  /** Null if no provider is configured. */
  readonly provider: ProviderLogin | null;
  /** False if passwords work only for a browser that opened a printed address. */
  readonly takesPasswords: boolean;
  hasAccounts(): Promise<boolean>;
  /** Creates the first account, which is an admin. */
  createFirst(given: { readonly name: string; readonly password: string }): Promise<FirstOutcome>;
  signIn(attempt: Attempt): Promise<Outcome>;
  /** Null if there is no such login session or it has ended. `isUse` restarts the idle timeout. */
  signedIn(token: string, isUse: boolean): Promise<SignedIn | null>;
  signOut(token: string): Promise<void>;
  /** Whether no process has used the ticket within that time; null if this process serves the page alone. */
  readonly firstUse: ((ticket: string, forMs: number) => Promise<boolean>) | null;
  /** The person of an account, by person id; null if there is no such account. */
  personOf(personId: string): Promise<Person | null>;
}
