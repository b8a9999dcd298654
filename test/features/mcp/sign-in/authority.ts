import { z } from "zod";
import { type ProviderServer, startProvider } from "../../../support/oidc/provider-server.ts";
import { done, type Guard, type PlainServer, serverBehind } from "../http-server.ts";

/** A real authorization server, and a server whose tool needs its tokens. */

export const STATIC = { id: "registered-by-hand", secret: "a-secret-of-this-client-alone" };
const CHECKER = { client_id: "checker", client_secret: "a-secret-of-the-server-alone" };

export interface Guarded extends PlainServer {
  /** Settings that name the authorization server, which is in a private network here. */
  readonly settings: { readonly url: string; readonly oauth: { readonly issuer: string } };
  readonly authority: ProviderServer;
  /** Tokens of the requests that were let in, in order. */
  readonly tokens: readonly string[];
  /** Refuses all tokens that were let in so far. */
  expire(): void;
  /** Refuses every token from now on, or none. */
  refuse(everything: boolean): void;
  /** Refuses every token for calls of tools, and accepts it for the rest. */
  refuseCalls(all: boolean): void;
  /** Refuses every call with this header, or none. */
  forbid(header: string | null): void;
  /** Redirects every request to this address. */
  move(to: string): void;
  /** Requests without a token or with a refused one. */
  refusals(): number;
}

export interface GuardedOptions {
  /** Whether programs may register themselves. */
  readonly registers?: boolean;
  /** Changes what the server says of itself. */
  readonly metadata?: (usual: Readonly<Record<string, unknown>>) => unknown;
  /** The header of refusals, by the address of the metadata. */
  readonly challenge?: (metadataUrl: string) => string | undefined;
}

const introspected = z.looseObject({ active: z.boolean() });

export async function guardedServer({
  registers = true,
  metadata = (usual) => usual,
  challenge = (metadataUrl) => `Bearer resource_metadata="${metadataUrl}"`,
}: GuardedOptions = {}): Promise<Guarded> {
  const authority = await startAuthority(registers);
  const tokens: string[] = [];
  const expired = new Set<string>();
  let refusesAll = false;
  let refusesCalls = false;
  let refusals = 0;
  let movedTo: string | null = null;
  let forbidden: string | null = null;
  const accepts = async (token: string): Promise<boolean> => {
    if (refusesAll || expired.has(token)) return false;
    const asked = { method: "POST", body: new URLSearchParams({ token, ...CHECKER }) };
    const answer = await fetch(`${authority.issuer}/token/introspection`, asked);
    return introspected.parse(await answer.json()).active;
  };
  const guard: Guard = async (request, response) => {
    const origin = `http://${request.headers.host ?? ""}`;
    const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;
    if (request.url === new URL(metadataUrl).pathname) {
      const usual = { resource: `${origin}/mcp`, authorization_servers: [authority.issuer], scopes_supported: ["mcp"] };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(metadata(usual)));
      return true;
    }
    if (movedTo !== null) {
      response.writeHead(307, { location: movedTo }).end();
      return true;
    }
    const [, token = ""] = (request.headers.authorization ?? "").split(" ");
    if (token !== "" && (await accepts(token))) {
      tokens.push(token);
      if (forbidden === null) return false;
      response.writeHead(403, { "www-authenticate": forbidden }).end();
      return true;
    }
    refusals += 1;
    const header = challenge(metadataUrl);
    if (header !== undefined) response.setHeader("www-authenticate", header);
    response.writeHead(401).end(JSON.stringify({ error: "invalid_token", error_description: `not ${token}` }));
    return true;
  };
  const server = await serverBehind(guard, (response, id) => {
    if (refusesCalls) response.writeHead(401).end();
    else done(response, id);
  });
  return {
    ...server,
    settings: { url: server.url, oauth: { issuer: authority.issuer } },
    authority,
    tokens,
    expire: () => {
      for (const token of tokens) expired.add(token);
    },
    refuse: (everything) => {
      refusesAll = everything;
    },
    refuseCalls: (all) => {
      refusesCalls = all;
    },
    forbid: (header) => {
      forbidden = header;
    },
    move: (to) => {
      movedTo = to;
    },
    refusals: () => refusals,
  };
}

function startAuthority(registers: boolean): Promise<ProviderServer> {
  return startProvider("http://127.0.0.1/unused", {
    clients: [
      {
        ...CHECKER,
        redirect_uris: [],
        response_types: [],
        grant_types: [],
        token_endpoint_auth_method: "client_secret_post",
      },
      {
        client_id: STATIC.id,
        client_secret: STATIC.secret,
        redirect_uris: ["http://localhost:33419/callback", "https://example.com/signed-in"],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    scopes: ["openid", "offline_access"],
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? "",
        accountId: oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid offline_access");
      for (const resource of Object.keys(oidc.resourceServers ?? {})) grant.addResourceScope(resource, "mcp");
      await grant.save();
      return grant;
    },
    issueRefreshToken: () => Promise.resolve(true),
    rotateRefreshToken: true,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registers },
      revocation: { enabled: true },
      introspection: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: "mcp", accessTokenFormat: "opaque", accessTokenTTL: 3_600 }),
      },
    },
  });
}

/**
 * What a browser does in which somebody signs in, or declines; returns the address that it ends at, without having
 * opened it.
 */
export async function inBrowser(address: string, what: "sign in" | "decline" = "sign in"): Promise<string> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(address);
  let at = address;
  for (let steps = 0; steps < 12 && new URL(at).origin === origin; steps++) {
    if (new URL(at).pathname.startsWith("/sign-in/")) at += what === "sign in" ? "?who=ana" : "?deny";
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`HTTP ${answer.status} at ${at}: ${await answer.text()}`);
    at = new URL(location, at).href;
  }
  return at;
}
