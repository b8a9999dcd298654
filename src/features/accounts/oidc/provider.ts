import type { ClientAuth, Configuration } from "openid-client";
import { believing } from "../../../core/believed.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { Identity, ProviderSecrets } from "../account.ts";
import { type Claims, groupsIn } from "./claims.ts";
import { issuerNamed, ManyTenants, missesSecret } from "./problems.ts";
import type { OidcSettings } from "./settings.ts";

/** How long one request to the provider may take. Seconds. */
const REQUEST_S = 10;
/** How long what the provider says of itself holds. Milliseconds. */
const KNOWN_MS = 3_600_000;
/** How far the clocks may differ. Seconds. */
const TOLERANCE_S = 30;

/** Somebody as the provider knows them now: issuer and subject are who they are, all else may change. */
export interface Vouched extends Identity {
  readonly claims: Claims;
  /** Null: the provider has not said. */
  readonly groups: readonly string[] | null;
}

export interface Provider {
  /** Where the browser is sent. Rejects where the provider cannot be asked. */
  address(redirectUri: string, secrets: ProviderSecrets): Promise<URL>;
  /** `answered`: the whole address that the browser came back to. Rejects where anything about it does not hold. */
  identity(answered: URL, secrets: ProviderSecrets): Promise<Vouched>;
}

/** The provider over openid-client, which is loaded when somebody first needs it. */
export function createProvider(settings: OidcSettings, clock: Pick<Clock, "now">): Provider {
  const configured = believing(() => discovered(settings), { forMs: KNOWN_MS, most: 1, clock });
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
      const said = tokens.claims();
      // Some providers put a pattern in place of their name: then tokens of all its tenants would fit.
      if (said === undefined || said.iss !== issuer) throw new client.ClientError("another issuer");
      const groups = groupsIn(said, settings.groupsClaim);
      if (groups !== null || configuration.serverMetadata().userinfo_endpoint === undefined) {
        return { issuer, subject: said.sub, claims: said, groups };
      }
      const more = await client.fetchUserInfo(configuration, tokens.access_token, said.sub);
      return { issuer, subject: said.sub, claims: { ...more, ...said }, groups: groupsIn(more, settings.groupsClaim) };
    },
  };
}

interface Discovery {
  readonly configuration: Configuration;
  /** Asks, showing the secret in the way that the provider wants of this client. */
  readonly showing: <T>(ask: () => Promise<T>) => Promise<T>;
}

async function discovered({ issuer, clientId, clientSecret }: OidcSettings): Promise<Discovery> {
  const client = await import("openid-client");
  const metadata = { [client.clockTolerance]: TOLERANCE_S };
  const { auth, showing } = clientAuth(client, clientSecret);
  const discover = (named: URL) =>
    client.discovery(named, clientId, metadata, auth, {
      timeout: REQUEST_S,
      // The settings take no plain http but on this machine.
      execute: [
        client.enableNonRepudiationChecks,
        ...(issuer.protocol === "http:" ? [client.allowInsecureRequests] : []),
      ],
    });
  const configuration = await discover(issuer).catch((error: unknown) => {
    // Whether its name ends with a slash, people do not see.
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

/** In the body first: a header's words are encoded once more, which not every provider undoes. */
const WAYS = ["client_secret_post", "client_secret_basic"] as const;
type Way = (typeof WAYS)[number];

/** What the provider lists it can do; of a client it may want one of these alone. Source: OpenID Connect Discovery, 3. */
function waysIn(listed: readonly string[] | undefined): readonly [Way, Way | undefined] {
  if (listed === undefined) return ["client_secret_basic", "client_secret_post"];
  const [first = "client_secret_post", second] = WAYS.filter((way) => listed.includes(way));
  return [first, second];
}

/** Where the secret is refused as it is shown, it is shown once more in the other way, which is kept to. */
function clientAuth(client: Client, secret: string | null): Pick<Discovery, "showing"> & { readonly auth: ClientAuth } {
  if (secret === null) return { auth: client.None(), showing: (ask) => ask() };
  const shown: Readonly<Record<Way, ClientAuth>> = {
    client_secret_post: client.ClientSecretPost(secret),
    client_secret_basic: client.ClientSecretBasic(secret),
  };
  let isOther = false;
  let hasOther = false;
  return {
    auth: (server, ...rest) => {
      const [first, second] = waysIn(server.token_endpoint_auth_methods_supported);
      hasOther = second !== undefined;
      shown[isOther && second !== undefined ? second : first](server, ...rest);
    },
    showing: async (ask) => {
      const before = isOther;
      try {
        return await ask();
      } catch (error) {
        if (!hasOther || !missesSecret(error)) throw error;
        // Somebody else's sign-in may have found it meanwhile.
        if (isOther === before) isOther = !before;
        return ask();
      }
    },
  };
}
