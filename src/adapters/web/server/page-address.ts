import { isIP } from "node:net";
import { isLoopback, isOwnHost } from "./guard.ts";

/** The configured addresses of the page. */
export interface PagePlace {
  /** Host on which the server listens. */
  readonly host: string;
  /** The page's public address behind a proxy; null if there is no proxy. */
  readonly url: string | null;
}

/** Checks of the page's addresses, and its cookies. */
export interface PageAddress {
  /** Whether the page is reachable from other machines, so that everybody must sign in. */
  readonly isShared: boolean;
  /** Whether a Host header names the page. */
  isHost(header: string | undefined, port: number): boolean;
  /** Whether a Host header is acceptable for probes, which come from nearby infrastructure instead of browsers. */
  isProbeHost(header: string | undefined, port: number): boolean;
  /** Whether an Origin header names the page at the host to which the request was sent. */
  isOrigin(origin: string, host: string | undefined): boolean;
  /** Whether an Origin header names the page over http although it must be opened over https. */
  isByHttp(origin: string): boolean;
  /** The page's origin in the browser that sent this Host header. */
  originOf(host: string): string;
  cookieName(kind: CookieKind, port: number): string;
  /** The full value of a Set-Cookie header; a null cookie value deletes the cookie. */
  cookie(cookie: Cookie, port: number): string;
}

/**
 * login: the session token; device: marks a known browser; form: binds a form to the browser; setup: permits creating
 * the first account; provider: tickets of unfinished sign-ins at the provider.
 */
export type CookieKind = "login" | "device" | "form" | "setup" | "provider";

export interface Cookie {
  readonly kind: CookieKind;
  readonly value: string | null;
  readonly maxAgeS: number;
}

export function createPageAddress({ host, url }: PagePlace): PageAddress {
  const known = url === null ? null : new URL(url);
  const isShared = known !== null || !isLoopback(host);
  const isSecure = known?.protocol === "https:";
  const isNearby = (header: string | undefined, port: number) =>
    isOwnHost(header, port) || (isShared && isOwnNumber(header, port));
  // The public address may lead to several processes, each with a port of its own.
  const portOf = (port: number) => (known === null ? port : known.port === "" ? 80 : Number(known.port));
  const isNamed = (header: string | undefined) =>
    known !== null && header?.toLowerCase().replace(isSecure ? /:443$/u : /:80$/u, "") === known.host;
  const cookieName = (kind: CookieKind, port: number) =>
    isSecure ? `__Host-deckhand-${kind}` : `deckhand_${portOf(port)}_${kind}`;
  const originOf = (host: string) => known?.origin ?? `http://${host.toLowerCase()}`;
  return {
    isShared,
    cookieName,
    originOf,
    isHost: (header, port) => (known === null ? isNearby(header, port) : isNamed(header)),
    isProbeHost: (header, port) => isNearby(header, port) || isNamed(header),
    isByHttp: (origin) => isSecure && origin.toLowerCase() === `http://${known.host}`,
    isOrigin: (origin, asked) => asked !== undefined && origin.toLowerCase() === originOf(asked),
    cookie: ({ kind, value, maxAgeS }, port) =>
      [
        `${cookieName(kind, port)}=${value ?? ""}`,
        "HttpOnly",
        // Lax keeps people signed in who follow a link from a chat, open the printed address from another page or
        // return from a provider. Changing requests are protected by their origin and a token.
        "SameSite=Lax",
        "Path=/",
        `Max-Age=${value === null ? 0 : maxAgeS}`,
        ...(isSecure ? ["Secure"] : []),
      ].join("; "),
  };
}

/** Whether a Host header is an IP address with the server's port; others could point a host name at this server. */
function isOwnNumber(header: string | undefined, port: number): boolean {
  const asked = URL.parse(`http://${header ?? ""}`);
  if (asked === null || asked.host !== header?.toLowerCase().replace(/:80$/u, "")) return false;
  return (
    isIP(asked.hostname.replace(/^\[(.*)\]$/u, "$1")) !== 0 && Number(asked.port === "" ? 80 : asked.port) === port
  );
}
