import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";

export interface ProxyServerOptions {
  /** The local port that stands in for an outside `host:port`; undefined if the proxy refuses to connect. */
  readonly leadsTo: (target: string) => number | undefined;
  /** `name:password`; if omitted, no credentials are required. */
  readonly credentials?: string;
  /** Terminates the encryption of tunnelled connections, so that sites need not speak TLS. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface ProxyServer extends AsyncDisposable {
  readonly port: number;
  /** Value for HTTPS_PROXY, including any credentials. */
  readonly url: string;
  /** `CONNECT host:port` or `GET http://…`, as received, whether or not allowed. */
  readonly asked: readonly string[];
}

/** A typical company proxy: CONNECT, and absolute URLs for unencrypted requests. */
export async function startProxyServer({
  leadsTo,
  credentials,
  certificate,
}: ProxyServerOptions): Promise<ProxyServer> {
  const asked: string[] = [];
  const open = new Set<Duplex>();
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
  /** The target port, or the status of the refusal. */
  const judge = ({ method, url = "", headers }: IncomingMessage, target: string): number => {
    asked.push(`${method} ${url}`);
    if (wanted !== undefined && headers["proxy-authorization"] !== wanted) return 407;
    return leadsTo(target) ?? 403;
  };
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing, judge));
  server.on("connect", (incoming: IncomingMessage, socket: Duplex) => {
    open.add(socket.on("error", () => socket.destroy()));
    const port = judge(incoming, incoming.url ?? "");
    if (port < 1_000) return socket.end(`HTTP/1.1 ${port} Refused\r\n\r\n`);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    const plain = certificate === undefined ? socket : new TLSSocket(socket, { isServer: true, ...certificate });
    const site = connect(port, "127.0.0.1");
    plain.pipe(site).pipe(plain);
    for (const [one, other] of [[plain, site] as const, [site, plain] as const]) {
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
    }
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    port: address.port,
    url: `http://${encoded(credentials)}127.0.0.1:${address.port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function encoded(credentials: string | undefined): string {
  return credentials === undefined ? "" : `${credentials.split(":").map(encodeURIComponent).join(":")}@`;
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  judge: (incoming: IncomingMessage, target: string) => number,
): void {
  const url = new URL(incoming.url ?? "");
  const port = judge(incoming, `${url.hostname}:${url.port === "" ? 80 : url.port}`);
  if (port < 1_000) return void outgoing.writeHead(port).end();
  const { "proxy-authorization": _, ...headers } = incoming.headers;
  const asked = request({ port, method: incoming.method, path: `${url.pathname}${url.search}`, headers });
  asked.on("response", (answer) => answer.pipe(outgoing.writeHead(answer.statusCode ?? 0, answer.headers)));
  asked.on("error", () => outgoing.destroy());
  incoming.pipe(asked);
}
