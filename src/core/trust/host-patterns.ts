/**
 * Which hosts and URLs configuration names.
 *
 * `allowedHosts`: `example.com` is that host, `*.example.com` every host beneath it (not itself), `*`
 * every host. A pattern holds for the default ports; `example.com:8443` holds for that port.
 *
 * `blockedUrls`: a host pattern with, perhaps, the beginning of a path: `https://example.com/admin`,
 * `*.example.com`, `example.com/a?b`. The scheme does not matter, and without a port every port is meant.
 * Paths are compared decoded and without regard to case, so that no other spelling gets around them.
 */

interface HostPattern {
  /** As in URLs: lower case, Punycode, IPv6 in brackets. Empty: any host. */
  readonly name: string;
  /** True: the hosts beneath `name`, not `name` itself. */
  readonly beneath: boolean;
  readonly port: string | null;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Null for what is no host pattern. */
export function parseHostPattern(text: string): HostPattern | null {
  const [, host = "", port = null] = /^(.+?)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  if (host === "*") return { name: "", beneath: true, port };
  const beneath = host.startsWith("*.");
  const bare = beneath ? host.slice(2) : host;
  if (/[/?#@\\*%\s]/.test(bare) || (bare.includes(":") && !bare.startsWith("["))) return null;
  const name = URL.parse(`http://${bare}`)?.hostname.replace(/(?<!\.)\.+$/, "");
  return name === undefined || name === "" ? null : { name, beneath, port };
}

/** Names as servers have them, and addresses. URLs know more: a name with a comma in it would read as two. */
const PLAIN_NAME = /^([a-z0-9._-]*|\[[0-9a-f:]+\])$/;

const MAX_PORT = 65_535;

/** A pattern in one spelling, for cards and grants: as it is compared. Null for what is none, or could be misread. */
export function spelledPattern(text: string): string | null {
  const pattern = parseHostPattern(text);
  if (pattern === null || !PLAIN_NAME.test(pattern.name)) return null;
  const { name, beneath, port } = pattern;
  const host = [...(beneath ? ["*"] : []), ...(name === "" ? [] : [name])].join(".");
  if (port === null) return host;
  const number = Number(port);
  return number > 0 && number <= MAX_PORT ? `${host}:${number}` : null;
}

function holdsFor({ name, beneath }: HostPattern, hostname: string): boolean {
  if (name === "") return true;
  return beneath ? hostname.endsWith(`.${name}`) : hostname === name;
}

export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((text) => {
    const pattern = parseHostPattern(text);
    if (pattern === null || !holdsFor(pattern, url.hostname)) return false;
    return pattern.port === null ? url.port === "" : pattern.port === portOf(url);
  });
}

/** The port in use, the scheme's own included. */
export function portOf(url: URL): string {
  return url.port === "" ? (DEFAULT_PORTS[url.protocol] ?? "") : url.port;
}

/** The entry of `blockedUrls` that a URL falls under; null when none. */
export function blockOf(url: URL, blockedUrls: readonly string[]): string | null {
  return blockedUrls.find((text) => isBlockedBy(url, text)) ?? null;
}

function isBlockedBy(url: URL, text: string): boolean {
  const [, host = "", path = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)([^#]*)/i.exec(text.trim()) ?? [];
  const pattern = parseHostPattern(host);
  if (pattern === null) return url.href.startsWith(text);
  if (!holdsFor(pattern, url.hostname)) return false;
  if (pattern.port !== null && pattern.port !== portOf(url)) return false;
  const prefix = URL.parse(`http://host${path}`);
  if (prefix === null) return false;
  const [blocked = ""] = readings(prefix);
  return readings(url).some((reading) => reading.startsWith(blocked));
}

/** Servers differ in how often they decode: once, or twice where one stands before another. */
const DECODINGS = 3;

/** Path and query as servers may read them: decoded, no doubled slashes, lower case; with `..` as a name, and as a step up. */
function readings({ pathname, search }: URL): readonly string[] {
  const decoded = [pathname, search].map((part) => {
    let text = part;
    for (let time = 0; time < DECODINGS; time += 1) text = decodedOnce(text);
    return text.toLowerCase();
  });
  const [path = "", query = ""] = decoded;
  const plain = path.replace(/;[^/\\]*/g, "").replace(/[\\/]+/g, "/");
  const steps: string[] = [];
  for (const step of plain.split("/").slice(1)) {
    if (step === "..") steps.pop();
    else if (step !== ".") steps.push(step);
  }
  return [`${plain}${query}`, `/${steps.join("/")}${query}`];
}

function decodedOnce(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
