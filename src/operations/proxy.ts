import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setGlobalProxyFromEnv } from "node:http";
import { isIP } from "node:net";
import { z } from "zod";
import type { Environment } from "../config/sources.ts";
import { ProxyFailure, proxyRefusalText, proxyUnreachableText, systemCode } from "../core/protocol/system-code.ts";

/** The proxies through which the program reaches the internet. */
export interface ProxySettings {
  /** Name of the variable that is in force for HTTPS. */
  readonly name: string;
  readonly https: URL;
  /** Null if plain HTTP is sent without a proxy. */
  readonly http: URL | null;
  readonly without: readonly Destination[];
}

/** A destination that is reached directly. */
interface Destination {
  /** In lower case; includes all subdomains. IPv6 addresses have no brackets. */
  readonly host: string;
  /** Empty for any port. */
  readonly port: string;
}

/** As in curl and Node, lower-case names win, and a proxy for plain HTTP is used for HTTPS if no other is named. */
const HTTP_NAMES = ["http_proxy", "HTTP_PROXY"];
const HTTPS_NAMES = ["https_proxy", "HTTPS_PROXY", ...HTTP_NAMES];
/** Never reached through a proxy, whatever is set. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Null if no proxy is set, or everything is to be reached directly. `local`: a host of this machine. */
export function proxyOf(env: Environment, local: string): ProxySettings | null {
  const named = (names: readonly string[]): string => names.find((name) => Boolean(env[name])) ?? "";
  const name = named(HTTPS_NAMES);
  const https = addressOf(env[name]);
  const entries = entriesOf(env);
  if (https === null || entries.includes("*")) return null;
  const without = [...entries, ...LOOPBACK, local].map(destination);
  return { name, https, http: addressOf(env[named(HTTP_NAMES)]), without };
}

/** Unusable settings, as lines that do not reveal the values, since these may contain a password. */
export function proxyProblems(env: Environment): string[] {
  return HTTPS_NAMES.filter((name) => env[name] !== undefined && addressOf(env[name]) === null).map(
    (name) =>
      `${name}: is not the address of an HTTP proxy. In its password, write @ as %40, / as %2F and % as %25. Example: ${name}=http://name:password@proxy.example.com:3128`,
  );
}

export function proxyWarnings(env: Environment): string[] {
  const networks = entriesOf(env).filter((entry) => entry.includes("/"));
  return networks.map(
    (network) => `NO_PROXY: ${network} has no effect. Use hosts, domains (.example.com) or single addresses.`,
  );
}

/** Names and passwords of the proxies, in every form in which they are written or sent. */
export function proxySecrets(proxy: ProxySettings | null): string[] {
  return [proxy?.https, proxy?.http].flatMap((url) => {
    if (url == null || url.password === "") return [];
    const { username, password } = url;
    const sent = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
    return [password, decodeURIComponent(password), sent];
  });
}

/** The proxy for a URL; null if it is reached directly. */
export function proxyFor(proxy: ProxySettings | null, { protocol, hostname, port }: URL): URL | null {
  if (proxy === null) return null;
  const host = bare(hostname);
  const at = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  const isDirect = proxy.without.some(
    (each) => (each.port === "" || each.port === at) && (host === each.host || host.endsWith(`.${each.host}`)),
  );
  if (isDirect) return null;
  return protocol === "https:" ? proxy.https : proxy.http;
}

/**
 * Makes `fetch`, undici's own `request` and Node's global agents use the proxy, and tells its failures from those of
 * the server behind it. Returns a function that undoes this and cuts connections still waiting for the proxy, which
 * have no timeout.
 */
export function useProxy(proxy: ProxySettings | null): () => Promise<void> {
  if (proxy === null) return () => Promise.resolve();
  const restore = setGlobalProxyFromEnv({
    https_proxy: proxy.https.href,
    ...(proxy.http === null ? {} : { http_proxy: proxy.http.href }),
    no_proxy: proxy.without.flatMap(forNode).join(","),
  });
  const explain = (message: unknown) => explainFailure(message, proxy);
  subscribe(CONNECT_ERROR, explain);
  const dispatcher: { destroy(): Promise<void> } = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"));
  return async () => {
    unsubscribe(CONNECT_ERROR, explain);
    restore();
    await dispatcher.destroy();
  };
}

/** Source: undici docs, “Diagnostics Channel Support”. */
const CONNECT_ERROR = "undici:client:connectError";
const connectErrorSchema = z.object({
  error: z.instanceof(Error),
  connectParams: z.object({ host: z.string() }),
});
/** The message is the only place with the status. Source: undici, `lib/dispatcher/proxy-agent.js`. */
const NO_TUNNEL = /^Proxy response \((\d{3})\)/u;

function explainFailure(message: unknown, { https, http }: ProxySettings): void {
  const { data } = connectErrorSchema.safeParse(message);
  if (data === undefined || data.error.cause !== undefined) return;
  const { error, connectParams } = data;
  const status = NO_TUNNEL.exec(error.message)?.[1];
  if (status !== undefined) error.cause = new ProxyFailure(proxyRefusalText(Number(status)));
  else if ([https.host, http?.host].includes(connectParams.host)) {
    error.cause = new ProxyFailure(proxyUnreachableText(systemCode(error)));
  }
}

function addressOf(text = ""): URL | null {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url === null || !/^https?:$/u.test(url.protocol)) return null;
  try {
    decodeURIComponent(`${url.username}${url.password}`);
    return url;
  } catch {
    return null;
  }
}

function entriesOf(env: Environment): string[] {
  const given = [env["no_proxy"], env["NO_PROXY"]].find(Boolean) ?? "";
  return given.split(/[\s,]+/u).filter((entry) => entry !== "");
}

/** `example.com`, `.example.com`, `*.example.com`, `example.com:8080`, `[::1]:80`. */
function destination(entry: string): Destination {
  const [, host = entry, port = ""] = isIP(entry) === 0 ? (/^(.+):(\d+)$/u.exec(entry) ?? []) : [];
  return { host: bare(host.replace(/^\*?\./u, "")), port };
}

/** The forms that both of Node's parsers of NO_PROXY understand, for the host and its subdomains. */
function forNode({ host, port }: Destination): string[] {
  const end = port === "" ? "" : `:${port}`;
  return isIP(host) === 6 ? [`[${host}]${end}`, `${host}${end}`] : [`${host}${end}`, `.${host}${end}`];
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/gu, "").toLowerCase();
}
