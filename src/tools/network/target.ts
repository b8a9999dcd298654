import { blockOf, type HostRules, isAllowedHost } from "../../core/trust/host-patterns.ts";
import { type IsForbiddenAddress, literalAddress } from "./addresses.ts";
import { NetworkDenial, NetworkRefusal } from "./refusal.ts";

/** Maximum characters of a URL. Source: RFC 9110 asks for at least 8,000 octets. */
const MAX_URL_CHARS = 8_000;

/**
 * Parses a URL into the one spelling that is judged and requested: no fragment, no dot at the end of the host. The URL
 * standard already normalises hosts: `0x7f.1` and `2130706433` are 127.0.0.1. Throws NetworkRefusal for URLs that are
 * never fetched, whatever the place permits.
 */
export function parseTarget(text: string, base?: URL): URL {
  const url = text.length > MAX_URL_CHARS ? null : URL.parse(text, base?.href);
  if (url === null) throw new NetworkRefusal("That is not a complete URL. Include https:// and the host.");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new NetworkRefusal(`Only http and https URLs are fetched, not ${url.protocol} ones.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new NetworkRefusal("URLs with a user name or password are not fetched. Leave the credentials out.");
  }
  url.hash = "";
  url.hostname = url.hostname.replace(/(?<!\.)\.+$/, "");
  return url;
}

/** Throws NetworkRefusal if the URL is blocked or its host is itself a forbidden address. */
export function refuseForbidden(url: URL, rules: HostRules, isForbiddenAddress: IsForbiddenAddress): void {
  if (blockOf(url, rules.blockedUrls) !== null) {
    throw new NetworkDenial(`${url.host}${url.pathname} is on the list of blocked URLs. Continue without it.`);
  }
  const literal = literalAddress(url.hostname);
  if (literal !== null && isForbiddenAddress(literal)) throw privateAddress(url.hostname);
}

export function isListed(url: URL, rules: HostRules): boolean {
  return isAllowedHost(url, rules.allowedHosts);
}

export function privateAddress(hostname: string): NetworkDenial {
  return new NetworkDenial(
    `${hostname} is not a public address. Private, local and reserved addresses are never fetched.`,
  );
}
