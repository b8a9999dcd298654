import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { McpUrlServer } from "../../../../src/features/mcp/server-settings.ts";
import { serverBehind } from "../http-server.ts";
import type { Place } from "./command.ts";

/** A service that is its own authorization server, and deviates from the standards as real ones do. */

type Members = Readonly<Record<string, unknown>>;

export interface ServiceOptions {
  /** Path of the authorization server's address. */
  readonly path?: string;
  /** What it publishes at an origin; null for nothing. */
  readonly metadata?: (usual: Members, origin: string) => Members | null;
  /** The response to a registration; null refuses it. */
  readonly registered?: (asked: Members) => Members | null;
  /** The response to a request for tokens. */
  readonly tokens?: (usual: Members, asked: URLSearchParams) => Members;
}

export interface Service {
  readonly settings: McpUrlServer;
  /** Requests for tokens. */
  readonly asked: readonly URLSearchParams[];
  /** Tokens that were revoked. */
  readonly revoked: readonly (string | null)[];
  /** Refuses all tokens that were issued so far. */
  readonly expire: () => void;
  /** Delays the responses to renewals until this resolves. */
  readonly hold: (until: Promise<unknown>) => void;
  /** Fails every request for tokens like this; null for none. */
  readonly fail: (how: { readonly status: number; readonly body: object } | null) => void;
}

export async function service({
  path = "",
  metadata = (usual) => usual,
  registered = (asked) => ({ client_id: "c", ...asked }),
  tokens = (usual) => usual,
}: ServiceOptions = {}): Promise<Service> {
  const asked: URLSearchParams[] = [];
  let valid: string[] = [];
  let failure: { status: number; body: object } | null = null;
  let issued = 0;
  let held: Promise<unknown> | null = null;
  const revoked: (string | null)[] = [];
  const issue = (params: URLSearchParams) => {
    asked.push(params);
    if (failure !== null) return failure;
    issued += 1;
    valid.push(`access-token-${issued}`);
    const usual = { access_token: `access-token-${issued}`, token_type: "Bearer", refresh_token: `refresh-${issued}` };
    return { status: 200, body: tokens(usual, params) };
  };
  const own: Readonly<Record<string, (origin: string, body: string) => { status?: number; body: object } | null>> = {
    "/.well-known/oauth-protected-resource/mcp": (origin) => ({
      body: { resource: `${origin}/mcp`, authorization_servers: [`${origin}${path}`] },
    }),
    [`/.well-known/oauth-authorization-server${path}`]: (origin) => {
      const more = { registration_endpoint: `${origin}/register`, revocation_endpoint: `${origin}/revoke` };
      const body = metadata(authorityAt(origin, more), origin);
      return body === null ? null : { body };
    },
    "/register": (_, body) => {
      const client = registered(JSON.parse(body));
      return client === null ? { status: 400, body: { error: "invalid_client_metadata" } } : { body: client };
    },
    "/token": (_, body) => issue(new URLSearchParams(body)),
    "/revoke": (_, body) => {
      revoked.push(new URLSearchParams(body).get("token"));
      return { body: {} };
    },
  };
  const { url } = await serverBehind(async (request, response) => {
    const body = await bodyOf(request);
    const answer = own[request.url ?? ""]?.(originOf(request), body);
    if (body.includes("grant_type=refresh_token")) await held;
    if (answer !== undefined && answer !== null) {
      sendJson(response, answer.body, answer.status);
      return true;
    }
    if (request.url === "/mcp" && valid.includes((request.headers.authorization ?? "").replace("Bearer ", "")))
      return false;
    response.writeHead(request.url === "/mcp" ? 401 : 404, { "www-authenticate": "Bearer" }).end();
    return true;
  });
  return {
    settings: { url },
    asked,
    revoked,
    hold: (until) => {
      held = until;
    },
    expire: () => {
      valid = [];
    },
    fail: (how) => {
      failure = how;
    },
  };
}

/** Reads only what is meant for the authorization server. */
function bodyOf(request: IncomingMessage): Promise<string> {
  return request.url === "/mcp" ? Promise.resolve("") : text(request);
}

export function originOf({ headers }: IncomingMessage): string {
  return `http://${headers.host ?? ""}`;
}

export function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Metadata of an authorization server at `origin`, with changes. */
export function authorityAt(origin: string, changes: object): Members {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/auth`,
    token_endpoint: `${origin}/token`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    ...changes,
  };
}

/** Signs in to such a service, which asks nobody. */
export async function signInTo({ signIn }: Pick<Place, "signIn">) {
  const { address, ended } = await signIn();
  const { searchParams: given } = new URL(address);
  const answer = new URLSearchParams({ code: "code", state: given.get("state") ?? "" });
  await fetch(`${given.get("redirect_uri") ?? ""}?${answer.toString()}`);
  return ended;
}
