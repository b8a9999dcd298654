import { BlockList, isIP } from "node:net";

/**
 * Who may talk to the server. On loopback the threats are a page of another site that resolves its own name to
 * 127.0.0.1 (stopped by the Host header), a page that posts or opens a socket across origins (stopped by the Origin
 * header; cookies ignore ports, so SameSite alone would admit another local server's page), and other users of the
 * machine (stopped by the token). Beyond loopback anybody may connect, and accounts replace the token.
 */

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(bare);
  return version === 0 ? bare.toLowerCase() === "localhost" : LOOPBACK.check(bare, version === 4 ? "ipv4" : "ipv6");
}

/** Whether a Host header names a loopback address and the server's port. */
export function isOwnHost(header: string | undefined, port: number): boolean {
  const match = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/i.exec(header ?? "");
  return match?.[1] !== undefined && isLoopback(match[1]) && Number(match[2] ?? "80") === port;
}

/**
 * Strips the ports that some proxies add to the addresses in X-Forwarded-For, since each connection would count as
 * another visitor. Source: Microsoft's docs, How an application gateway works; IIS, Application Request Routing.
 */
export function withoutPorts(forwarded: string | string[] | undefined): string | undefined {
  return forwarded === undefined ? undefined : String(forwarded).replaceAll(PORT, "$1$2");
}

const PORT = /(?<=^|[\s,])(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([\da-f:.]+)\])(?::\d{1,5})?(?=[\s,]|$)/giu;

/** The cookie's name includes the port, because cookies are shared by all ports of a host and instances would clash. */
export function cookieName(port: number): string {
  return `deckhand_${port}`;
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? "").split(";")) {
    const [key, value] = pair.split("=", 2);
    if (key?.trim() === name) return value?.trim();
  }
  return undefined;
}

/**
 * A cookie that scripts cannot read. With SameSite=Lax, browsers omit it from what other sites' pages load or post, but
 * send it when somebody follows a link from a chat or a log viewer.
 */
export function tokenCookie(name: string, token: string): string {
  return `${name}=${token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000`;
}

/** No inline script or style, nothing from elsewhere, no frames. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};
