import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import { foreignLine } from "../foreign-text.ts";
import type { McpUrlServer } from "../server-settings.ts";
import { boundedFetch } from "../transport/bounded-fetch.ts";
import { problemText, SignInProblem } from "./problems.ts";
import { providerSchema } from "./signed-in.ts";

/** Time limit for the server's answer, in milliseconds. */
const ASK_MS = 15_000;
/** Maximum length of an address in messages, in characters. */
const MAX_ADDRESS = 200;

/** Where and how to sign in to a server. */
export interface Discovered {
  readonly metadata: AuthorizationServerMetadata;
  /** What the token is for. Source: RFC 8707. Null if the server does not say. */
  readonly resource: string | null;
  /** The rights to ask for; null for those that the authorization server gives by default. */
  readonly scope: string | null;
}

export interface DiscoveryScope {
  /** The server's name as people write it. */
  readonly title: string;
  readonly guarded: FetchLike;
}

/** Finds out how to sign in to a server. Throws SignInProblem. */
export async function discover(
  settings: McpUrlServer,
  { title, guarded }: DiscoveryScope,
  signal: AbortSignal,
): Promise<Discovered> {
  const challenge = await challengeOf(settings, signal);
  const about = await resourceMetadata(settings, challenge, { title, guarded });
  if (about === null && !challenge.isRefused) throw new SignInProblem(unasked(challenge, title));
  const named = about?.authorization_servers?.[0] ?? new URL("/", new URL(settings.url)).href;
  const metadata = await serverMetadata(settings, named, { title, guarded });
  requireEncrypted(metadata, settings);
  return { metadata, resource: about?.resource ?? null, scope: scopeOf(settings, { challenge, about, metadata }) };
}

function unasked({ status }: Challenge, title: string): string {
  if (status < 300) return `${title} does not require a sign-in: there is nothing to do.`;
  return `${title} answers with HTTP ${status} and does not say how to sign in. Check its address.`;
}

interface Challenge {
  readonly isRefused: boolean;
  /** The status of the answer that succeeded, if there is one; otherwise of the first. */
  readonly status: number;
  readonly metadataUrl: URL | undefined;
  readonly scope: string | undefined;
}

const PROBE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "deckhand", version: "0" } },
};

/** How the server refuses a request without a token. Servers over server-sent events only take GET. */
async function challengeOf({ url, headers: given }: McpUrlServer, signal: AbortSignal): Promise<Challenge> {
  const headers = { ...given, accept: "application/json, text/event-stream" };
  const posted = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
  let first: number | null = null;
  for (const init of [
    { ...posted, body: JSON.stringify(PROBE) },
    { method: "GET", headers },
  ]) {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
    const response = await boundedFetch(url, { ...init, redirect: "manual", signal: limited }).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        throw new SignInProblem(problemText(error, new URL(url).host));
      },
    );
    await response.body?.cancel();
    const { status } = response;
    first = status < 300 ? status : (first ?? status);
    if (status !== 401) continue;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    return { isRefused: true, status, metadataUrl: resourceMetadataUrl, scope };
  }
  return { isRefused: false, status: first ?? 0, metadataUrl: undefined, scope: undefined };
}

/** The server's metadata; null if it has none. Source: RFC 9728. */
async function resourceMetadata(
  { url }: McpUrlServer,
  { metadataUrl }: Challenge,
  { title, guarded }: DiscoveryScope,
): Promise<OAuthProtectedResourceMetadata | null> {
  const { host } = metadataUrl ?? new URL(url);
  const read = (at: { resourceMetadataUrl?: URL }) => discoverOAuthProtectedResourceMetadata(url, at, guarded);
  const usual = () => read({}).catch(() => null);
  const found =
    metadataUrl === undefined
      ? // Older servers have none, and answer with whatever they have at that address.
        await usual()
      : await read({ resourceMetadataUrl: metadataUrl }).catch(async (error: unknown) => {
          // Behind some proxies, servers name an address that only they know.
          const elsewhere = await usual();
          if (elsewhere === null) throw new SignInProblem(problemText(error, host));
          return elsewhere;
        });
  if (found === null) return null;
  const asked = { requestedResource: resourceUrlFromServerUrl(url), configuredResource: found.resource };
  if (checkResourceAllowed(asked)) return found;
  const named = foreignLine(found.resource, MAX_ADDRESS);
  throw new SignInProblem(
    `The metadata of ${title} is for ${named}. Deckhand does not send a token for that to ${title}.`,
  );
}

/** The metadata of the authorization server that the operator has written down, or of the one that the server names. */
async function serverMetadata(
  { oauth }: McpUrlServer,
  named: string,
  { title, guarded }: DiscoveryScope,
): Promise<AuthorizationServerMetadata> {
  const own = oauth?.issuer ?? named;
  const problems: SignInProblem[] = [];
  // Some publish theirs only where the server names it.
  for (const issuer of new Set([own, named])) {
    const at = URL.parse(issuer);
    try {
      if (at === null) throw new SignInProblem(`${title} names an authorization server that is not a valid address.`);
      const options = { fetchFn: guarded, skipIssuerValidation: true };
      const metadata = await discoverAuthorizationServerMetadata(issuer, options);
      if (metadata !== undefined) return requireName(metadata, at, own);
      throw new SignInProblem(
        `${at.host} publishes no OAuth metadata. If the service issues tokens, put one into the \`headers\` of ${title}.`,
      );
    } catch (error) {
      problems.push(new SignInProblem(problemText(error, at?.host ?? title)));
    }
  }
  throw problems[0];
}

/**
 * Requires that the authorization server goes by a name of the origin of `own`. RFC 8414, 3.3, wants the very name, but
 * large services leave out their path or the slash at its end. Another origin could be that of an honest service, whose
 * codes would then be redeemed here; so metadata that is found elsewhere must leave its codes to that origin.
 */
function requireName(metadata: AuthorizationServerMetadata, asked: URL, own: string): AuthorizationServerMetadata {
  const { origin } = new URL(own);
  const redeems = asked.origin === origin || URL.parse(metadata.token_endpoint)?.origin === origin;
  if (URL.parse(metadata.issuer)?.origin === origin && redeems) return metadata;
  const named = foreignLine(metadata.issuer, MAX_ADDRESS);
  throw new SignInProblem(
    `${asked.host} calls itself ${named}. If that is its name, put \`oauth: { "issuer": "${named}" }\` into the server's block.`,
  );
}

/** Requires encryption, except at the origins that the operator has written down. */
function requireEncrypted(metadata: AuthorizationServerMetadata, { url, oauth }: McpUrlServer): void {
  const written = [url, oauth?.issuer].map((each) => URL.parse(each ?? "")?.origin);
  const { authorization_endpoint, token_endpoint, revocation_endpoint } = providerSchema.parse(metadata);
  const endpoints = [authorization_endpoint, token_endpoint, revocation_endpoint, metadata.registration_endpoint];
  for (const endpoint of endpoints) {
    if (endpoint === undefined) continue;
    const at = URL.parse(endpoint);
    if (at?.protocol === "https:" || (at?.protocol === "http:" && written.includes(at.origin))) continue;
    throw new SignInProblem(
      `${foreignLine(endpoint, MAX_ADDRESS)} is not encrypted, so Deckhand does not sign in there.`,
    );
  }
}

function scopeOf(
  { oauth }: McpUrlServer,
  {
    challenge,
    about,
    metadata,
  }: Pick<Discovered, "metadata"> & { challenge: Challenge; about: OAuthProtectedResourceMetadata | null },
): string | null {
  if (oauth?.scope !== undefined) return oauth.scope;
  const scope = challenge.scope ?? about?.scopes_supported?.join(" ") ?? "";
  if (scope === "") return null;
  // Without this one, some authorization servers give no refresh token.
  const offline = "offline_access";
  const isOffered = metadata.scopes_supported?.includes(offline) === true;
  return isOffered && !scope.split(" ").includes(offline) ? `${scope} ${offline}` : scope;
}
