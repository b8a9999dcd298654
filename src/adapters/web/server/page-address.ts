import { isIP } from "node:net";
import { isLoopback, isOwnHost } from "./guard.ts";

/** Where the page is reached, as its operator has set it. */
export interface PagePlace {
  /** What the server listens on. */
  readonly host: string;
  /** The address that people use, where it is not the server's own: a proxy stands before it. Null: none does. */
  readonly url: string | null;
}

/** Which addresses are the page's, and what cookies are called there. */
export interface PageAddress {
  /** Whether others than this machine's people reach it: then everybody signs in. */
  readonly isShared: boolean;
  /** The value of a Host header is one that the page is asked for by. */
  isHost(header: string | undefined, port: number): boolean;
  /** The same for probes, which are asked for by the machinery nearby and not by browsers. */
  isProbeHost(header: string | undefined, port: number): boolean;
  /** The value of an Origin header is a page of ours: that of the very host that the request went to. */
  isOrigin(origin: string, host: string | undefined): boolean;
  /** The value of an Origin header is our page's, opened without the TLS that it is to be opened by. */
  isByHttp(origin: string): boolean;
  /** The page's origin, as the browser knows it that has sent this Host header. */
  originOf(host: string): string;
  cookieName(kind: CookieKind, port: number): string;
  /** The whole value of a Set-Cookie header; null takes the cookie away. */
  cookie(cookie: Cookie, port: number): string;
}

/**
 * login: the session; device: the browser is known; form: a page with a form was shown; setup: it may make the first
 * account; provider: it has been sent to sign in elsewhere.
 */
export type CookieKind = "login" | "device" | "form" | "setup" | "provider";

interface Cookie {
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
  // Several processes may be behind the address, each with a port of its own.
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
        // Lax: whoever follows a link from a chat is signed in, the printed address lets in whatever page shows it, and
        // who has been at a provider comes back. What changes anything names its origin and a token.
        "SameSite=Lax",
        "Path=/",
        `Max-Age=${value === null ? 0 : maxAgeS}`,
        ...(isSecure ? ["Secure"] : []),
      ].join("; "),
  };
}

/** An address in numbers: no name, which somebody else could lead here. */
function isOwnNumber(header: string | undefined, port: number): boolean {
  const asked = URL.parse(`http://${header ?? ""}`);
  if (asked === null || asked.host !== header?.toLowerCase().replace(/:80$/u, "")) return false;
  return (
    isIP(asked.hostname.replace(/^\[(.*)\]$/u, "$1")) !== 0 && Number(asked.port === "" ? 80 : asked.port) === port
  );
}
