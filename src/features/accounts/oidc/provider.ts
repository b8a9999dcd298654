import type { ClientAuth, Configuration } from "openid-client";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { Identity, ProviderSecrets } from "../account.ts";
import { type Claims, groupsIn } from "./claims.ts";
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
  let known: { readonly since: number; readonly configuration: Promise<Configuration> } | null = null;
  const configured = async (): Promise<Configuration> => {
    if (known === null || clock.now() - known.since > KNOWN_MS) {
      const asked = { since: clock.now(), configuration: discovered(settings) };
      known = asked;
      asked.configuration.catch(() => {
        if (known === asked) known = null;
      });
    }
    return known.configuration;
  };
  return {
    async address(redirectUri, { state, nonce, verifier }) {
      const [client, configuration] = [await import("openid-client"), await configured()];
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
      const [client, configuration] = [await import("openid-client"), await configured()];
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await client.authorizationCodeGrant(configuration, answered, checks);
      const { issuer } = configuration.serverMetadata();
      const said = tokens.claims();
      // Some providers put a pattern in place of their name: then tokens of all its tenants would fit.
      if (said === undefined || said.iss !== issuer) throw new client.ClientError("another issuer");
      const groups = groupsIn(said, settings.groupsClaim);
      if (groups !== null || configuration.serverMetadata().userinfo_endpoint === undefined) {
        return { issuer, subject: said.sub, claims: said, groups };
      }
      const more = await client.fetchUserInfo(configuration, tokens.access_token, said.sub);
      const claims = { ...more, ...said };
      return { issuer, subject: said.sub, claims, groups: groupsIn(claims, settings.groupsClaim) };
    },
  };
}

async function discovered({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const client = await import("openid-client");
  const metadata = { [client.clockTolerance]: TOLERANCE_S };
  return client.discovery(issuer, clientId, metadata, clientAuth(client, clientSecret), {
    timeout: REQUEST_S,
    // The settings take no plain http but on this machine.
    execute: [
      client.enableNonRepudiationChecks,
      ...(issuer.protocol === "http:" ? [client.allowInsecureRequests] : []),
    ],
  });
}

type Client = typeof import("openid-client");

/** As the specification has it where the provider takes that, in the body where it takes nothing else. */
function clientAuth(client: Client, secret: string | null): ClientAuth {
  if (secret === null) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}
