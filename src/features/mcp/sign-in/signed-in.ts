import { hash } from "node:crypto";
import type { OAuthTokens } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Store } from "../../../core/store/store.ts";
import { fromJson } from "../../../core/text/from-json.ts";
import { seal, unseal } from "../../../tools/secrets/sealed.ts";
import { sealingKey } from "../../../tools/secrets/sealing-key.ts";
import type { McpUrlServer } from "../server-settings.ts";
import { SignInProblem } from "./problems.ts";
import { type SignInRow, signInReads, signInWrites } from "./store.ts";

/** Tokens are renewed this long before they expire, or a tenth of their lifetime if that is less. Milliseconds. */
const EARLY_MS = 30_000;

const signInSchema = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  /** When to renew the token; null if its lifetime is unknown. */
  renewAt: z.number().nullable(),
  /** The client as which Deckhand is known to the authorization server. */
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  /** The parts of the authorization server's metadata that later requests need, so that no server can change them. */
  provider: z.object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string().optional(),
    authorization_response_iss_parameter_supported: z.boolean().optional(),
    response_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  }),
  resource: z.string().nullable(),
});

/** The tokens of an account, with what it takes to renew and revoke them. */
export type SignIn = Readonly<z.infer<typeof signInSchema>>;

export const clientSchema = signInSchema.shape.client;
export const providerSchema = signInSchema.shape.provider;

/** A server as a sign-in is bound to it. */
export interface SignedServer {
  /** Its key in the settings. */
  readonly server: string;
  readonly settings: McpUrlServer;
}

export interface Vault {
  readonly store: Store;
  /** Absolute path of the directory that holds all state. */
  readonly home: string;
  /** DECKHAND_SECRET_KEY; null if not set. */
  readonly given: Uint8Array | null;
}

/** What is stored for a server. */
export type Kept =
  | { readonly type: "none" }
  /** The server's address has changed since. */
  | { readonly type: "elsewhere" }
  | { readonly type: "refused" }
  /** `why` is a sentence. */
  | { readonly type: "locked"; readonly why: string }
  | { readonly type: "open"; readonly row: SignInRow; readonly signIn: SignIn; readonly vault: Vault };

export function readRows({ store }: Pick<Vault, "store">): Promise<SignInRow[]> {
  return store.tables(signInReads).all();
}

/** Decrypts a row, if it belongs to this server at this address. */
export async function openRow(row: SignInRow | undefined, at: SignedServer, vault: Vault): Promise<Kept> {
  if (row === undefined) return { type: "none" };
  if (row.address !== addressOf(at)) return { type: "elsewhere" };
  if (row.refusedAt !== null) return { type: "refused" };
  const sealing = await sealingKey(vault, false);
  if ("problem" in sealing) return { type: "locked", why: sealing.problem };
  const text = unseal(row.sealed, purposeOf(at), sealing.key);
  const signIn = text === null ? undefined : signInSchema.safeParse(fromJson(text)).data;
  return signIn === undefined
    ? { type: "locked", why: "It was encrypted with another DECKHAND_SECRET_KEY or secret.key: restore that key." }
    : { type: "open", row, signIn, vault };
}

/** Throws SignInProblem if there is no key to encrypt it with. */
export async function sealSignIn(signIn: SignIn, at: SignedServer, vault: Vault): Promise<string> {
  const sealing = await sealingKey(vault, true);
  if ("problem" in sealing) throw new SignInProblem(sealing.problem);
  return seal(JSON.stringify(signIn), purposeOf(at), sealing.key);
}

/** Stores a person's sign-in in place of an earlier one, which is returned. */
export async function storeSignIn(
  signIn: SignIn,
  at: SignedServer,
  { by, now, ...vault }: Vault & Pick<SignInRow, "by"> & { readonly now: number },
): Promise<Kept> {
  const sealed = await sealSignIn(signIn, at, vault);
  const row = { server: at.server, address: addressOf(at), sealed, by, at: now, renewedAt: now, refusedAt: null };
  const earlier = await vault.store.transaction(async (tx) => {
    const to = tx.tables(signInWrites);
    const taken = await to.take(at.server);
    await to.set(row);
    return taken;
  });
  return openRow(earlier ?? undefined, at, vault);
}

/** Longest lifetime of a token that is believed, in seconds: ten years. */
const MAX_LIFETIME_S = 315_360_000;

/** The parts of a token response that are kept. */
export function tokensOf(tokens: OAuthTokens, now: number): Pick<SignIn, "accessToken" | "refreshToken" | "renewAt"> {
  const lifetimeMs = Math.min(tokens.expires_in ?? 0, MAX_LIFETIME_S) * 1_000;
  const renewAt = now + lifetimeMs - Math.min(EARLY_MS, lifetimeMs / 10);
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
    renewAt: lifetimeMs > 0 ? Math.floor(renewAt) : null,
  };
}

/** An address may hold a key, so only its hash is stored in clear. */
function addressOf({ settings }: SignedServer): string {
  return hash("sha256", new URL(settings.url).href);
}

function purposeOf({ server, settings }: SignedServer): string {
  return `sign-in to MCP server ${server} at ${new URL(settings.url).href}`;
}
