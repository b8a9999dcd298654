import { randomBytes, timingSafeEqual } from "node:crypto";
import {
  exchangeAuthorization,
  type FetchLike,
  OAuthError,
  RegistrationRejectedError,
  registerClient,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { McpUrlServer } from "../server-settings.ts";
import type { Discovered } from "./discovery.ts";
import { problemText, SignInProblem } from "./problems.ts";
import { USUAL_REDIRECT } from "./redirect.ts";
import { clientSchema, providerSchema, type SignIn, tokensOf } from "./signed-in.ts";

/** How long a person has to sign in, in milliseconds. */
export const SIGN_IN_MS = 600_000;

export const begunSchema = z.object({
  /** Recognises the answer to this sign-in. */
  state: z.string(),
  /** PKCE code verifier. */
  verifier: z.string(),
  redirectUri: z.string(),
  client: clientSchema,
  provider: providerSchema,
  resource: z.string().nullable(),
});

/** A sign-in that waits for the answer of its authorization server. */
export type Begun = Readonly<z.infer<typeof begunSchema>>;

interface Beginning {
  readonly settings: McpUrlServer;
  readonly guarded: FetchLike;
  /** Where the authorization server sends the browser with its answer. */
  readonly redirectUri: string;
  /** What to register by hand where programs cannot register themselves. */
  readonly redirectToRegister: string;
}

/** Begins a sign-in; a person opens `address` in a browser. Throws SignInProblem. */
export async function beginSignIn(found: Discovered, beginning: Beginning): Promise<{ address: URL; begun: Begun }> {
  const { metadata, resource } = found;
  const { redirectUri } = beginning;
  const state = randomBytes(32).toString("base64url");
  const client = await clientFor(found, beginning).catch(failing(metadata));
  const asked = { metadata, clientInformation: client, redirectUrl: redirectUri, state };
  const target = resource === null ? {} : { resource };
  const more = found.scope === null ? {} : { scope: found.scope };
  const { host } = new URL(metadata.issuer);
  const started = await startAuthorization(metadata.issuer, { ...asked, ...target, ...more }).catch(() => {
    throw new SignInProblem(
      `${host} does not support the sign-in that MCP requires (authorization codes with PKCE S256).`,
    );
  });
  const provider = providerSchema.parse(metadata);
  const begun = { state, verifier: started.codeVerifier, redirectUri, client, provider, resource };
  return { address: started.authorizationUrl, begun };
}

/** Whether an answer belongs to this sign-in. */
export function isAnswerTo({ state }: Pick<Begun, "state">, answer: URLSearchParams): boolean {
  const given = Buffer.from(answer.get("state") ?? "");
  return given.length === state.length && timingSafeEqual(given, Buffer.from(state));
}

/** Redeems the answer to a sign-in. Throws SignInProblem. */
export async function finishSignIn(
  { client, provider, resource, ...begun }: Begun,
  answer: URLSearchParams,
  { guarded, clock }: { readonly guarded: FetchLike; readonly clock: Pick<Clock, "now"> },
): Promise<SignIn> {
  const tokens = await exchangeAuthorization(provider.issuer, {
    metadata: provider,
    clientInformation: client,
    authorizationCode: codeIn(answer, provider),
    codeVerifier: begun.verifier,
    redirectUri: begun.redirectUri,
    ...(answer.has("iss") ? { iss: answer.get("iss") ?? "" } : {}),
    ...(resource === null ? {} : { resource }),
    fetchFn: guarded,
  }).catch(failing(provider));
  return { client, provider, resource, ...tokensOf(tokens, clock.now()) };
}

function failing({ issuer }: Begun["provider"]): (error: unknown) => never {
  return (error) => {
    throw new SignInProblem(problemText(error, new URL(issuer).host));
  };
}

/** The client of the settings, or one that is registered now for this redirect address. Source: RFC 7591. */
async function clientFor(
  { metadata, scope }: Discovered,
  { settings: { oauth = {} }, guarded, redirectUri, redirectToRegister }: Beginning,
): Promise<SignIn["client"]> {
  const { clientId, clientSecret } = oauth;
  if (clientId !== undefined) {
    return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
  }
  if (metadata.registration_endpoint === undefined) {
    const { host } = new URL(metadata.issuer);
    throw new SignInProblem(
      `${host} does not let programs register themselves. Register a client there with the redirect address ${redirectToRegister}, and put \`oauth: { "clientId": "…"${redirectToRegister === USUAL_REDIRECT ? "" : `, "redirectUri": "${redirectToRegister}"`} }\` into the server's block.`,
    );
  }
  const clientMetadata = {
    client_name: "Deckhand",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: authMethod(metadata),
    // Clients of the web may not have an address on this machine. Source: OpenID Connect Registration, 2.
    application_type: redirectUri.startsWith("https:") ? "web" : "native",
  };
  const register = (more: { scope?: string }) =>
    registerClient(metadata.issuer, { metadata, clientMetadata, ...more, fetchFn: guarded });
  const registered = await register(scope === null ? {} : { scope }).catch((error: unknown) => {
    // Some give clients only the rights that they know, others those that the client names.
    if (scope === null || !(error instanceof RegistrationRejectedError)) throw error;
    return register({});
  });
  return clientSchema.parse(registered);
}

/** How to ask for tokens: without a secret, unless the authorization server wants one. */
function authMethod({ token_endpoint_auth_methods_supported: offered = [] }: Discovered["metadata"]): string {
  const known = ["none", "client_secret_post", "client_secret_basic"];
  return known.find((method) => offered.includes(method)) ?? "none";
}

/** The code in an answer. What another authorization server says is not shown. Source: RFC 9207. */
function codeIn(answer: URLSearchParams, provider: Begun["provider"]): string {
  const { host } = new URL(provider.issuer);
  const code = answer.get("code");
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.get("iss") ?? undefined,
      expectedIssuer: provider.issuer,
      issParameterSupported: provider.authorization_response_iss_parameter_supported === true,
    });
  } catch {
    throw new SignInProblem(
      `The answer does not come from ${host}, or does not say where it comes from. Nothing was changed.`,
    );
  }
  if (code !== null) return code;
  const error = answer.get("error");
  if (error === null) throw new SignInProblem(`The response from ${host} does not follow OAuth.`);
  if (error === "access_denied") throw new SignInProblem(`${host} says that the sign-in was denied.`);
  throw new SignInProblem(problemText(new OAuthError(error, answer.get("error_description") ?? ""), host));
}
