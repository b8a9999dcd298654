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
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { McpUrlServer } from "../server-settings.ts";
import type { Discovered } from "./discovery.ts";
import { problemText, SignInProblem } from "./problems.ts";
import { openRedirect, pastedAnswer, type Redirect, USUAL_REDIRECT } from "./redirect.ts";
import { clientSchema, providerSchema, type SignIn, tokensOf } from "./signed-in.ts";

/** How long a person has to sign in, in milliseconds. */
const SIGN_IN_MS = 600_000;

/** Maximum number of answers to other sign-ins that are said: any page in the browser may send them. */
const MAX_OTHERS = 5;

export interface SignInScope {
  /** The server's name as people write it. */
  readonly title: string;
  readonly settings: McpUrlServer;
  readonly guarded: FetchLike;
  readonly clock: Clock;
  readonly say: (line: string) => void;
  /** What people paste. */
  readonly lines: (signal: AbortSignal) => AsyncIterable<string>;
}

/** Has a person sign in with a browser. Throws SignInProblem. */
export async function authorize(found: Discovered, scope: SignInScope): Promise<SignIn> {
  const { settings, guarded, clock } = scope;
  const { metadata, resource } = found;
  const { host } = new URL(metadata.issuer);
  const state = randomBytes(32).toString("base64url");
  const answers = collectAnswers(state, scope.say);
  await using redirect = await openRedirect(settings, answers.take);
  const failed = (error: unknown): never => {
    throw new SignInProblem(problemText(error, host));
  };
  const client = await clientFor(found, scope, redirect.uri).catch(failed);
  const asked = { metadata, clientInformation: client, redirectUrl: redirect.uri, state };
  const target = resource === null ? {} : { resource };
  const more = found.scope === null ? {} : { scope: found.scope };
  const begun = await startAuthorization(metadata.issuer, { ...asked, ...target, ...more }).catch(() =>
    failed(new SignInProblem(`${host} does not offer the kind of sign-in that MCP asks for (codes with PKCE S256).`)),
  );
  for (const line of instructions(begun.authorizationUrl, redirect, scope.title)) scope.say(line);
  const answer = await firstAnswer(answers, redirect, scope);
  const code = codeIn(answer, found);
  const tokens = await exchangeAuthorization(metadata.issuer, {
    metadata,
    clientInformation: client,
    authorizationCode: code,
    codeVerifier: begun.codeVerifier,
    redirectUri: redirect.uri,
    ...(answer.has("iss") ? { iss: answer.get("iss") ?? "" } : {}),
    ...target,
    fetchFn: guarded,
  }).catch(failed);
  return { client, provider: providerSchema.parse(metadata), resource, ...tokensOf(tokens, clock.now()) };
}

/** The client of the settings, or one that is registered now for this redirect address. Source: RFC 7591. */
async function clientFor(
  { metadata, scope }: Discovered,
  { settings: { oauth = {} }, guarded }: SignInScope,
  redirectUri: string,
): Promise<SignIn["client"]> {
  const { clientId, clientSecret } = oauth;
  if (clientId !== undefined) {
    return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
  }
  if (metadata.registration_endpoint === undefined) {
    const { host } = new URL(metadata.issuer);
    throw new SignInProblem(
      `${host} does not let programs register themselves. Register a client there with the redirect address ${USUAL_REDIRECT}, and put \`oauth: { "clientId": "…" }\` into the server's block.`,
    );
  }
  const clientMetadata = {
    client_name: "Deckhand",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: authMethod(metadata),
    application_type: "native",
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

interface Answers {
  readonly first: Promise<URLSearchParams>;
  /** Takes an answer; returns what its browser shows. */
  readonly take: (answer: URLSearchParams) => string;
}

/** Takes the first answer that belongs to this sign-in. */
function collectAnswers(state: string, say: SignInScope["say"]): Answers {
  const { promise: first, resolve } = Promise.withResolvers<URLSearchParams>();
  let others = 0;
  return {
    first,
    take(answer) {
      const given = Buffer.from(answer.get("state") ?? "");
      if (given.length !== state.length || !timingSafeEqual(given, Buffer.from(state))) {
        others += 1;
        if (others <= MAX_OTHERS) say("⚠ That is the answer to another sign-in. Open the address above.");
        return "This is the answer to another sign-in. Open the address that the terminal shows.";
      }
      resolve(answer);
      return "Deckhand has the answer. You can close this page; the terminal shows how it ends.";
    },
  };
}

function instructions(address: URL, { isListening, uri }: Redirect, title: string): string[] {
  const pasting = "copy the address that the browser ends at, and paste it here.";
  return [
    `Open this address in a browser, and sign in with the account that Deckhand shall use for ${title}:`,
    "",
    address.href,
    "",
    isListening
      ? `If the browser runs on another machine, it cannot show its last page (${new URL(uri).host}): ${pasting}`
      : `At the end, ${pasting}`,
    "Everyone who may use the server's tools then acts with this account. Ctrl-C cancels.",
  ];
}

/** Waits for the browser or for a pasted address, whichever comes first. */
async function firstAnswer(
  { first, take }: Answers,
  { isListening }: Redirect,
  { clock, lines, say }: SignInScope,
): Promise<URLSearchParams> {
  const ended = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(SIGN_IN_MS, () => {
    reject(new SignInProblem(`Nobody signed in within ${SIGN_IN_MS / 60_000} minutes. Nothing was changed.`));
  });
  const pasted = async (): Promise<URLSearchParams> => {
    for await (const line of lines(ended.signal)) {
      const answer = pastedAnswer(line);
      if (answer !== null) take(answer);
      else if (line.trim() !== "") say("⚠ That is not the address at the end of a sign-in: it has no code in it.");
    }
    if (!isListening && !ended.signal.aborted) throw new SignInProblem("No address was pasted. Nothing was changed.");
    return first;
  };
  try {
    return await Promise.race([first, pasted(), late]);
  } finally {
    cancel();
    ended.abort();
  }
}

/** The code in an answer. What another authorization server says is not shown. Source: RFC 9207. */
function codeIn(answer: URLSearchParams, { metadata }: Discovered): string {
  const { host } = new URL(metadata.issuer);
  const code = answer.get("code");
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.get("iss") ?? undefined,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch {
    throw new SignInProblem(`The answer is not from ${host}, or does not say so. Nothing was changed.`);
  }
  if (code !== null) return code;
  const error = answer.get("error");
  if (error === null) throw new SignInProblem(`The answer of ${host} does not follow OAuth.`);
  if (error === "access_denied") throw new SignInProblem(`${host} says that the sign-in was denied.`);
  throw new SignInProblem(problemText(new OAuthError(error, answer.get("error_description") ?? ""), host));
}
