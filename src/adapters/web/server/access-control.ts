import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type EntryLinks, VALID_MS } from "./entry-links.ts";
import { cookieName, readCookie, SECURITY_HEADERS, tokenCookie } from "./guard.ts";
import type { Logins, SignedIn } from "./logins.ts";
import type { Cookie, CookieKind, PageAddress } from "./page-address.ts";
import { NO_TOKEN, NOT_READY, NOT_SIGNED_IN, ONLY_READS, plainPage } from "./plain-page.ts";
import {
  ANY_ACCOUNT,
  changeToken,
  deviceCookie,
  ENTRY_S,
  FIRST_ACCOUNT,
  isSame,
  mayCreateFirstAccount,
} from "./signatures.ts";

/** The sender of a request: whoever holds the page's key on this machine, or an account. */
export type Principal =
  | { readonly kind: "operator" }
  /** `token` is the login session's token in the browser's cookie. */
  | { readonly kind: "account"; readonly token: string; readonly account: SignedIn };

export interface AccessControlOptions {
  readonly address: PageAddress;
  readonly token: string;
  /** Entry links, for browsers that have no cookie yet. */
  readonly links: EntryLinks;
  readonly clock: { now(): number };
  /** False until the platform is started; until then only probes work and the page says that it is not ready. */
  isOpen(): boolean;
  /** Null until the accounts are open. */
  logins(): Logins | null;
}

export interface AccessControl {
  /** Answers a request that is not allowed; returns undefined to let it through. guard.ts gives the reasons. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  /** The sender of an admitted request to the page. */
  principalOf(request: FastifyRequest): Principal;
  /** Whether this browser opened a printed address while there was no account. */
  mayCreateFirstAccount(request: FastifyRequest): boolean;
}

/** Header for the change token, which no other page knows. */
const CHANGE_HEADER = "x-deckhand-change";
export const PROBE_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);
/** Paths that lead to the login provider and back. */
export const PROVIDER_PATHS = { there: "/login/oidc", back: "/login/oidc/callback" } as const;
/** Assets of the login pages. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/login.css", "/login.js", "/icon.svg"]);
const LOGIN_PATHS: ReadonlySet<string> = new Set(["/login", "/setup", PROVIDER_PATHS.back]);
/** Paths that the page requests by itself, which do not count as activity. */
const UNUSED_PATHS: ReadonlySet<string> = new Set(["/session", "/live"]);
const NOT_OURS =
  "This server does not serve that address. If a proxy or a tunnel leads here, an operator must set `web.url` to the address that people use.";
const ANOTHER_NAME =
  "The page is not served under this name. If the name is right, an operator must set `web.url` to it. A proxy in front of the page must keep the `Host` header, or be listed in `web.trustProxy`.";
const NOT_FROM_PAGE = "Only the page itself may ask for this.";
const NO_ORIGIN =
  "Only the page itself may ask for this; browsers prove it with the `Origin` header. A proxy in front of the page must pass that header on and leave the page's `Referrer-Policy` unchanged.";
const BY_HTTP = "Nobody can sign in over http://. Open the page's https:// address.";

interface RequestParts {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly path: string;
  readonly changes: boolean;
  /** The entry link in the requested address; null if there is none. */
  readonly link: string | null;
}

export function createAccessControl(options: AccessControlOptions): AccessControl {
  const { address } = options;
  const principals = new WeakMap<FastifyRequest, Principal>();
  const authenticate = address.isShared
    ? authenticateByAccount({ options, principals })
    : authenticateByToken({ options, principals });
  return {
    async admit(request, reply) {
      reply.headers(SECURITY_HEADERS);
      const port = portOf(request);
      const path = pathOf(request);
      const isProbe = PROBE_PATHS.has(path);
      const host = request.host;
      if (!(isProbe ? address.isProbeHost(host, port) : address.isHost(host, port))) {
        return refuse({ reply, path }, 421, address.isShared ? ANOTHER_NAME : NOT_OURS);
      }
      const { origin } = request.headers;
      const changes = request.method !== "GET" && request.method !== "HEAD";
      const isFromPage = origin === undefined ? !(changes || isSocket(request.raw)) : address.isOrigin(origin, host);
      if (!isFromPage) return refuse({ reply, path }, 403, notFromPage(origin, address));
      if (isProbe) return undefined;
      reply.header("cache-control", "no-cache");
      const query = new URLSearchParams(request.url.slice(path.length));
      const link = path === "/" ? query.get("token") : null;
      const refused = await authenticate({ request, reply, path, changes, link });
      if (refused !== undefined) return refused;
      // "same-site" includes pages of other local servers, which must not load the page's resources.
      const site = request.headers["sec-fetch-site"];
      const isOther = site === "cross-site" || site === "same-site";
      const isShown = path === "/" || LOGIN_PATHS.has(path);
      return isOther && !isShown ? reply.code(403).send({ error: NOT_FROM_PAGE }) : undefined;
    },
    principalOf: (request) => principals.get(request) ?? { kind: "operator" },
    mayCreateFirstAccount: (request) =>
      mayCreateFirstAccount(options.token, cookieIn(request, "setup", address), options.clock.now()),
  };
}

function notFromPage(origin: string | undefined, address: PageAddress): string {
  if (origin === undefined || origin === "null") return NO_ORIGIN;
  return address.isByHttp(origin) ? BY_HTTP : NOT_FROM_PAGE;
}

/** Whether the request asks for a WebSocket. Other upgrades, such as h2c, are optional and ignored. */
export function isSocket({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

type Authenticate = (asked: RequestParts) => Promise<FastifyReply | undefined>;

interface AuthenticationScope {
  readonly options: AccessControlOptions;
  readonly principals: WeakMap<FastifyRequest, Principal>;
}

/** Admission to a page on loopback, where whoever holds its key is the operator. */
function authenticateByToken({ options, principals }: AuthenticationScope): Authenticate {
  return async ({ request, reply, path, link }) => {
    const cookie = cookieName(portOf(request));
    const isKnown = isSame(readCookie(request.headers.cookie, cookie), options.token);
    if (link !== null && (isKnown || (await consumeEntryLink(link, options)))) {
      return reply.header("set-cookie", tokenCookie(cookie, options.token)).redirect("/", 303);
    }
    if (!isKnown) return refuse({ reply, path }, 401, NO_TOKEN);
    if (!options.isOpen()) return refuse({ reply, path }, 503, NOT_READY);
    principals.set(request, { kind: "operator" });
    return undefined;
  };
}

/** Admission to a shared page, where everybody signs in and the printed address only leads to the login. */
function authenticateByAccount({ options, principals }: AuthenticationScope): Authenticate {
  const { address } = options;
  return async (asked) => {
    const { request, reply, path, changes, link } = asked;
    if (OPEN_PATHS.has(path)) return undefined;
    const logins = options.logins();
    if (logins === null || !options.isOpen()) return refuse(asked, 503, NOT_READY);
    if (LOGIN_PATHS.has(path) || path === PROVIDER_PATHS.there) return undefined;
    if (link !== null && (await consumeEntryLink(link, options))) {
      const isFirst = !(await logins.hasAccounts());
      const value = deviceCookie(options.token, isFirst ? FIRST_ACCOUNT : ANY_ACCOUNT, options.clock.now());
      const kind = isFirst ? "setup" : "device";
      setCookie(asked, { kind, value, maxAgeS: ENTRY_S }, address);
      return reply.redirect(isFirst ? "/setup" : "/login", 303);
    }
    const token = cookieIn(request, "login", address);
    const account = token === "" ? null : await logins.signedIn(token, !UNUSED_PATHS.has(path));
    if (account === null) {
      if (path !== "/") return reply.code(401).send({ error: NOT_SIGNED_IN });
      const maySignIn = logins.provider !== null || (await logins.hasAccounts());
      return reply.redirect(maySignIn ? "/login" : "/setup", 303);
    }
    const sent = request.headers[CHANGE_HEADER];
    if (changes && !isSame(typeof sent === "string" ? sent : undefined, changeToken(token))) {
      return reply.code(403).send({ error: NOT_FROM_PAGE });
    }
    if (changes && account.role === "viewer" && path !== "/logout") return reply.code(403).send({ error: ONLY_READS });
    principals.set(request, { kind: "account", token, account });
    return undefined;
  };
}

/** Whether an entry link is valid; it works once, even if several processes serve the page. */
async function consumeEntryLink(link: string, options: AccessControlOptions): Promise<boolean> {
  if (!options.links.use(link)) return false;
  return (await options.logins()?.firstUse?.(link, VALID_MS)) ?? true;
}

function refuse({ reply, path }: Pick<RequestParts, "reply" | "path">, status: number, words: string): FastifyReply {
  reply.code(status);
  // Browsers show these paths as documents, so they get HTML instead of JSON.
  const isShown = path === "/" || LOGIN_PATHS.has(path);
  return isShown ? reply.type("text/html; charset=utf-8").send(plainPage(words)) : reply.send({ error: words });
}

/** The local port of a request, which is part of the cookie names. */
function portOf({ socket }: FastifyRequest): number {
  return socket.localPort ?? 0;
}

/** The value of a cookie of the shared page; empty if the browser has none. */
export function cookieIn(request: FastifyRequest, kind: CookieKind, address: PageAddress): string {
  return readCookie(request.headers.cookie, address.cookieName(kind, portOf(request))) ?? "";
}

export function setCookie(
  { request, reply }: Pick<RequestParts, "request" | "reply">,
  cookie: Cookie,
  address: PageAddress,
): void {
  reply.header("set-cookie", address.cookie(cookie, portOf(request)));
}

export function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "/";
}
