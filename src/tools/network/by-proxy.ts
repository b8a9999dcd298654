import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { proxyRefusalText, proxyUnreachableText } from "../../core/protocol/system-code.ts";
import { portOf } from "../../core/trust/host-patterns.ts";
import { type Connection, waitForConnection } from "./established.ts";
import { NetworkRefusal } from "./refusal.ts";

/** Connects to a proxy that is asked for the whole URL. Throws NetworkRefusal, or the signal's reason. */
export async function connectForwarding(proxy: URL, url: URL, signal: AbortSignal): Promise<Connection> {
  return { socket: await connectTo(proxy, signal), target: url.href, headers: credentials(proxy) };
}

/** Opens a tunnel through the proxy to a URL's host. Throws NetworkRefusal, or the signal's reason. */
export async function tunnel(proxy: URL, url: URL, signal: AbortSignal): Promise<Socket> {
  const socket = await connectTo(proxy, signal);
  const host = `${url.hostname}:${portOf(url)}`;
  const asked = request({
    createConnection: () => socket,
    method: "CONNECT",
    path: host,
    headers: { host, ...credentials(proxy) },
  });
  asked.on("error", () => {}); // for errors after nobody waits for it any more
  try {
    const [answer]: IncomingMessage[] = await once(asked.end(), "connect", { signal });
    if (answer?.statusCode === 200) return socket;
    throw new NetworkRefusal(`${url.host} cannot be reached: ${proxyRefusalText(answer?.statusCode ?? 0)}.`);
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    if (cause instanceof NetworkRefusal) throw cause;
    throw new NetworkRefusal(`${url.host} cannot be reached: the proxy did not respond.`, cause);
  }
}

function connectTo(proxy: URL, signal: AbortSignal): Promise<Socket> {
  const failure = (code: string): string => `Nothing can be fetched: ${proxyUnreachableText(code)}.`;
  const at = { host: proxy.hostname.replace(/^\[|\]$/g, ""), port: Number(portOf(proxy)) };
  if (proxy.protocol === "http:") return waitForConnection(connectTcp(at), "connect", { signal, failure });
  return waitForConnection(connectTls({ ...at, rejectUnauthorized: true }), "secureConnect", { signal, failure });
}

function credentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
