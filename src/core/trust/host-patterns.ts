/**
 * Patterns of hosts and URLs in the configuration.
 *
 * `allowedHosts`: `example.com` is that host, `*.example.com` every host beneath it (not itself), `*` every host. A
 * pattern holds for the default ports; `example.com:8443` holds for that port, `example.com/docs` for that path and
 * those beneath it.
 *
 * `blockedUrls`: a host pattern, optionally with the beginning of a path: `https://example.com/admin`, `*.example.com`,
 * `example.com/a?b`. The scheme does not matter, and without a port every port is meant. Paths are compared decoded and
 * without regard to case, so that no other spelling gets around them.
 */

/** The hosts that a place allows and the URLs that it blocks. */
export interface HostRules {
  readonly allowedHosts: readonly string[];
  readonly blockedUrls: readonly string[];
}

interface HostPattern {
  /** As in URLs: lower case, Punycode, IPv6 in brackets. Empty: any host. */
  readonly name: string;
  /** True: the hosts beneath `name`, not `name` itself. */
  readonly beneath: boolean;
  readonly port: string | null;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Null if the text is no host pattern. */
export function parseHostPattern(text: string): HostPattern | null {
  const [, host = "", port = null] = /^(.+?)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  if (host === "*") return { name: "", beneath: true, port };
  const beneath = host.startsWith("*.");
  const bare = beneath ? host.slice(2) : host;
  if (/[/?#@\\*%\s]/.test(bare) || (bare.includes(":") && !bare.startsWith("["))) return null;
  const name = URL.parse(`http://${bare}`)?.hostname.replace(/(?<!\.)\.+$/, "");
  return name === undefined || name === "" ? null : { name, beneath, port };
}

/** Ordinary host names and IP addresses. URLs allow more, such as a comma, which would read as two names. */
const PLAIN_NAME = /^([a-z0-9._-]*|\[[0-9a-f:]+\])$/;

const MAX_PORT = 65_535;

/** Normal spelling of a pattern, for cards and grants. Null if the text is no pattern or could be misread. */
export function spelledPattern(text: string): string | null {
  const pattern = parseHostPattern(text);
  if (pattern === null || !PLAIN_NAME.test(pattern.name)) return null;
  const { name, beneath, port } = pattern;
  const host = [...(beneath ? ["*"] : []), ...(name === "" ? [] : [name])].join(".");
  if (port === null) return host;
  const number = Number(port);
  return number > 0 && number <= MAX_PORT ? `${host}:${number}` : null;
}

/** Whether a pattern matches a host, whatever the port. */
export function matchesHost({ name, beneath }: HostPattern, hostname: string): boolean {
  if (name === "") return true;
  return beneath ? hostname.endsWith(`.${name}`) : hostname === name;
}

export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((text) => {
    const { host, path } = sourceParts(text);
    const pattern = parseHostPattern(host);
    if (pattern === null || !matchesHost(pattern, url.hostname)) return false;
    const isPort = pattern.port === null ? url.port === "" : pattern.port === portOf(url);
    return isPort && (path === "" || isBeneath(url, path));
  });
}

/** Splits `docs.example.com/guide` into host and path. The path is empty if there is none. */
export function sourceParts(text: string): { readonly host: string; readonly path: string } {
  const [host = ""] = text.trim().split("/", 1);
  return { host, path: text.trim().slice(host.length) };
}

/** Whether a URL's path is `path` or beneath it, however often a server decodes it, and no `..` leads out again. */
function isBeneath(url: URL, path: string): boolean {
  const prefix = asWritten(new URL(`http://host${path}`)).replace(/\/$/, "");
  const ways = [asWritten(url), url.pathname.toLowerCase()];
  return ways.every((way) => way === prefix || (way.startsWith(`${prefix}/`) && !way.split("/").includes("..")));
}

/** The port in use, including the scheme's default. */
export function portOf(url: URL): string {
  return url.port === "" ? (DEFAULT_PORTS[url.protocol] ?? "") : url.port;
}

/** The entry of `blockedUrls` that blocks a URL; null if none does. */
export function blockOf(url: URL, blockedUrls: readonly string[]): string | null {
  return blockedUrls.find((text) => isBlockedBy(url, text)) ?? null;
}

function isBlockedBy(url: URL, text: string): boolean {
  const [, host = "", path = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)([^#]*)/i.exec(text.trim()) ?? [];
  const pattern = parseHostPattern(host);
  if (pattern === null) return url.href.startsWith(text);
  if (!matchesHost({ ...pattern, name: withoutMapping(pattern.name) }, withoutMapping(url.hostname))) return false;
  if (pattern.port !== null && pattern.port !== portOf(url)) return false;
  const prefix = URL.parse(`http://host${path}`);
  if (prefix === null) return false;
  const blocked = `${asWritten(prefix)}${decoded(prefix.search)}`;
  return readings(url, blocked.length).some((reading) => reading.startsWith(blocked));
}

/** Turns `[::ffff:102:304]` into the address that it leads to, 1.2.3.4. */
function withoutMapping(hostname: string): string {
  const [, high = "", low = ""] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === "") return hostname;
  const bytes = [high, low].map((part) => Number.parseInt(part, 16)).flatMap((part) => [part >> 8, part & 255]);
  return bytes.join(".");
}

/**
 * Path and query as servers may read them, with `..` taken as a name and as a step up. Because servers decode paths to
 * different depths, each directory that the path leads through also counts, by its first `length` characters.
 */
function readings(url: URL, length: number): readonly string[] {
  const plain = asWritten(url);
  const query = decoded(url.search);
  const steps: string[] = [];
  const places = [`${plain}${query}`];
  for (const step of plain.split("/").slice(1)) {
    if (step === "..") {
      places.push(beginningOf(steps, length));
      steps.pop();
    } else if (step !== ".") steps.push(step);
  }
  return [...places, `/${steps.join("/")}${query}`];
}

/** As much of a path as is compared. */
function beginningOf(steps: readonly string[], length: number): string {
  let beginning = "";
  for (const step of steps) {
    if (beginning.length >= length) break;
    beginning += `/${step.slice(0, length)}`;
  }
  return beginning;
}

/**
 * A path without parameters of its segments, without the trailing dots of segments that some servers drop, and without
 * doubled slashes.
 */
function asWritten({ pathname }: URL): string {
  return decoded(pathname)
    .replace(/;[^/\\]*/g, "")
    .replace(/(?<=[^./\\])\.+(?=[/\\]|$)/g, "")
    .replace(/[\\/]+/g, "/");
}

/** An encoded byte, or a character as Microsoft's servers also accept it: `%61`, `%u0061`. */
const ENCODED = /%(?:[0-9a-f]{2}|u[0-9a-f]{4})$/i;
/** ASCII encoded in more bytes than needed, as lenient decoders accept it. Source: RFC 3629, 10. */
const OVERLONG = /(?:[\xc0\xc1]|\xe0[\x80\x81]|\xf0\x80[\x80\x81])[\x80-\xbf]$/;
/** Blanks, control and invisible characters, which servers drop at different stages. */
const STRIPPED = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/** More decodings than any server does, since folding may leave new encodings. Each takes linear time. */
const ROUNDS = 8;

/** The text as the most lenient server reads it: decoded and folded until nothing changes. */
function decoded(text: string): string {
  let known = text;
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = folded(unescaped(known));
    if (next === known) break;
    known = next;
  }
  return known;
}

/** Lower case in one normal form. `İ` and `ı` become `i`, as some languages have it, and `ſ` becomes `s`. */
function folded(text: string): string {
  const plain = text.normalize("NFKD").replace(STRIPPED, "");
  return plain.toUpperCase().toLowerCase().replaceAll("i\u0307", "i").normalize("NFKD");
}

function unescaped(text: string): string {
  const bytes: string[] = [];
  for (const byte of Buffer.from(text).toString("latin1")) {
    bytes.push(byte);
    while (shortened(bytes)) continue;
  }
  return Buffer.from(bytes.join(""), "latin1").toString("utf8");
}

/** Replaces an encoding at the end of the bytes by its meaning. False if there is none. */
function shortened(bytes: string[]): boolean {
  // A quick exit for most bytes, since matching the patterns takes twenty times as long.
  if (bytes.at(-3) !== "%" && bytes.at(-6) !== "%" && (bytes.at(-1) ?? "") < "\x80") return false;
  const end = bytes.slice(-6).join("");
  const [encoded] = ENCODED.exec(end) ?? [];
  const [overlong] = OVERLONG.exec(end) ?? [];
  const found = encoded ?? overlong;
  if (found === undefined) return false;
  const meant = encoded === undefined ? shortest(found) : bytesOf(found);
  bytes.splice(-found.length, found.length, ...meant.split(""));
  return true;
}

function bytesOf(encoded: string): string {
  const isByte = encoded.length === 3;
  const character = String.fromCharCode(Number.parseInt(encoded.slice(isByte ? 1 : 2), 16));
  return isByte ? character : Buffer.from(character).toString("latin1");
}

function shortest(overlong: string): string {
  const [high, low] = [overlong.charCodeAt(overlong.length - 2), overlong.charCodeAt(overlong.length - 1)];
  return String.fromCharCode(((high & 1) << 6) | (low & 0x3f));
}
