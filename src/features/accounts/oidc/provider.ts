import type { ClientAuth, Configuration } from "openid-client";
import { cacheAnswers } from "../../../core/answer-cache.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { Identity, ProviderSecrets } from "../account.ts";
import { type Claims, groupsIn } from "./claims.ts";
import { issuerNamed, ManyTenants, missesSecret } from "./problems.ts";
import type { OidcSettings } from "./settings.ts";

/** Time limit for one request to the provider, in seconds. */
const REQUEST_S = 10;
/** How long the provider's metadata is cached, in milliseconds. */
const KNOWN_MS = 3_600_000;
/** Maximum difference between the clocks, in seconds. */
const TOLERANCE_S = 30;

/** A person as the provider describes them now. Issuer and subject identify them; everything else may change. */
export interface ProviderIdentity extends Identity {
  readonly claims: Claims;
  /** Null if the provider does not state any. */
  readonly groups: readonly string[] | null;
}

export interface Provider {
  /** Address to send the browser to. Rejects if the provider cannot be reached. */
  address(redirectUri: string, secrets: ProviderSecrets): Promise<URL>;
  /** `answered` is the full address that the browser returned to. Rejects if any check fails. */
  identity(answered: URL, secrets: ProviderSecrets): Promise<ProviderIdentity>;
}

/** The provider over openid-client, which is loaded when first needed. */
export function createProvider(settings: OidcSettings, clock: Pick<Clock, "now">): Provider {
  const configured = cacheAnswers(() => discovered(settings), { forMs: KNOWN_MS, most: 1, clock });
  return {
    async address(redirectUri, { state, nonce, verifier }) {
      const [client, { configuration }] = [await import("openid-client"), await configured()];
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settings.scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
    },
    async identity(answered, { state, nonce, verifier }) {
      const [client, { configuration, showing }] = [await import("openid-client"), await configured()];
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await showing(() => client.authorizationCodeGrant(configuration, answered, checks));
      const { issuer } = configuration.serverMetadata();
      const idTokenClaims = tokens.claims();
      // Some providers put a pattern in place of their name, which tokens of all their tenants would match.
      if (idTokenClaims === undefined || idTokenClaims.iss !== issuer) throw new client.ClientError("another issuer");
      const groups = groupsIn(idTokenClaims, settings.groupsClaim);
      if (groups !== null || configuration.serverMetadata().userinfo_endpoint === undefined) {
        return { issuer, subject: idTokenClaims.sub, claims: idTokenClaims, groups };
      }
      const more = await client.fetchUserInfo(configuration, tokens.access_token, idTokenClaims.sub);
      return {
        issuer,
        subject: idTokenClaims.sub,
        claims: { ...more, ...idTokenClaims },
        groups: groupsIn(more, settings.groupsClaim),
      };
    },
  };
}

interface Discovery {
  readonly configuration: Configuration;
  /** Makes a request, sending the secret in the way that the provider expects. */
  readonly showing: <T>(ask: () => Promise<T>) => Promise<T>;
}

async function discovered({ issuer, clientId, clientSecret }: OidcSettings): Promise<Discovery> {
  const client = await import("openid-client");
  const metadata = { [client.clockTolerance]: TOLERANCE_S };
  const { auth, showing } = clientAuth(client, clientSecret);
  const discover = (named: URL) =>
    client.discovery(named, clientId, metadata, auth, {
      timeout: REQUEST_S,
      // The settings accept plain http on this machine only.
      execute: [
        client.enableNonRepudiationChecks,
        ...(issuer.protocol === "http:" ? [client.allowInsecureRequests] : []),
      ],
    });
  const configuration = await discover(issuer).catch((error: unknown) => {
    // People do not notice whether an address ends with a slash.
    const named = issuerNamed(error);
    if (named === null || bare(named) !== bare(issuer)) throw error;
    return discover(named);
  });
  const { issuer: name } = configuration.serverMetadata();
  if (/[{}]/u.test(name)) throw new ManyTenants(name);
  return { configuration, showing };
}

function bare({ href }: URL): string {
  return href.replace(/\/$/u, "");
}

type Client = typeof import("openid-client");

/** Ways to send the secret. The body comes first, since not every provider decodes a header's additional encoding. */
const CLIENT_AUTH_METHODS = ["client_secret_post", "client_secret_basic"] as const;
type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number];

/** The ways that a provider lists. It may accept only one for a given client. Source: OpenID Connect Discovery, 3. */
function authMethodsIn(
  listed: readonly string[] | undefined,
): readonly [ClientAuthMethod, ClientAuthMethod | undefined] {
  if (listed === undefined) return ["client_secret_basic", "client_secret_post"];
  const [first = "client_secret_post", second] = CLIENT_AUTH_METHODS.filter((way) => listed.includes(way));
  return [first, second];
}

/** Tries the other way if the secret is refused as sent, and keeps to it. */
function clientAuth(client: Client, secret: string | null): Pick<Discovery, "showing"> & { readonly auth: ClientAuth } {
  if (secret === null) return { auth: client.None(), showing: (ask) => ask() };
  const shown: Readonly<Record<ClientAuthMethod, ClientAuth>> = {
    client_secret_post: client.ClientSecretPost(secret),
    client_secret_basic: client.ClientSecretBasic(secret),
  };
  let isOther = false;
  let hasOther = false;
  return {
    auth: (server, ...rest) => {
      const [first, second] = authMethodsIn(server.token_endpoint_auth_methods_supported);
      hasOther = second !== undefined;
      shown[isOther && second !== undefined ? second : first](server, ...rest);
    },
    showing: async (ask) => {
      const before = isOther;
      try {
        return await ask();
      } catch (error) {
        if (!hasOther || !missesSecret(error)) throw error;
        // A concurrent sign-in may have switched already.
        if (isOther === before) isOther = !before;
        return ask();
      }
    },
  };
}
