import { existsSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import fastifyWebsocket, { type WebSocket } from "@fastify/websocket";
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ConfigError } from "../../../core/protocol/errors.ts";
import type { Log } from "../../../core/protocol/log.ts";
import { listenError } from "../../render/listen-error.ts";
import { FRAME_BYTES } from "../../render/local/frame-limits.ts";
import type { LocalThreadStore } from "../../render/local/thread-store.ts";
import type { EntryLinks } from "./entry-links.ts";
import { type FeatureRoutes, registerFeatureRoutes } from "./feature-routes.ts";
import { registerFileRoutes } from "./file-routes.ts";
import { cookieName, isOwnHost, isOwnOrigin, isToken, readCookie, SECURITY_HEADERS, tokenCookie } from "./guard.ts";
import { NO_TOKEN, NOT_READY, plainPage } from "./plain-page.ts";

export interface Probe {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: object;
}

/** What the machinery around the program asks; the composition root knows the answers. */
export interface Probes {
  /** /healthz: the process lives. */
  health(): Probe;
  /** /readyz: it does its work; otherwise 503, and the body says what is missing. */
  ready(): Probe | Promise<Probe>;
  /** /metrics: Prometheus' text format. */
  metrics(): Promise<string>;
}

export interface WebServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly token: string;
  /** What lets somebody in who has no cookie yet. */
  readonly links: EntryLinks;
  readonly pageDirectory: string;
  readonly store: LocalThreadStore;
  readonly probes: Probes;
  readonly log: Log;
  /** False until the platform is started: probes are answered, the page says that it waits. */
  isOpen(): boolean;
  connected(socket: WebSocket): void;
  /** What features answer; none until they are open. */
  routes(): FeatureRoutes;
}

export interface WebServer {
  readonly port: number;
  close(): Promise<void>;
}

const PROBE_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** Listens; rejects with ConfigError when it cannot. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  if (!existsSync(join(options.pageDirectory, "index.html"))) {
    throw new ConfigError([`The web page is not built in ${options.pageDirectory}. Run npm run build.`]);
  }
  const app = fastify({ forceCloseConnections: true, bodyLimit: 1024 });
  // Before the guard: only requests that it has seen have their socket closed when the guard refuses them.
  await app.register(fastifyWebsocket, { options: { maxPayload: FRAME_BYTES }, preClose: cutSockets });
  const portOf = (request: FastifyRequest): number => request.socket.localPort ?? options.port;
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    return guard({ request, reply, port: portOf(request), options });
  });
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) options.log.error({ err: error, path: pathOf(request) }, "web_request_failed");
    return reply.code(status).send({ error: status >= 500 ? "Something broke on the server's side." : error.message });
  });
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: "There is nothing here." }));
  registerProbes(app, options.probes);
  await app.register(fastifyStatic, { root: options.pageDirectory, cacheControl: false });
  app.get("/live", { websocket: true }, (socket) => options.connected(socket));
  /** Whether the cookie still fits: a page asks when its socket is refused without a reason. */
  app.get("/session", async () => ({ ok: true }));
  registerFileRoutes(app, options.store);
  registerFeatureRoutes(app, () => options.routes());
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await app.close();
    throw listenError(error, { ...options, variables: { host: "HOST", port: "PORT" } });
  }
  const address = app.server.address();
  const port = address === null || typeof address === "string" ? options.port : address.port;
  return { port, close: () => app.close() };
}

/** Stopping waits for no page: one that does not answer the close frame would hold it up for half a minute. */
function cutSockets(this: FastifyInstance, done: () => void): void {
  for (const client of this.websocketServer.clients) client.terminate();
  this.websocketServer.close(done);
}

function registerProbes(app: FastifyInstance, probes: Probes): void {
  const answer = (reply: FastifyReply, probe: Probe): FastifyReply =>
    reply.code(probe.status).header("cache-control", "no-store").send(probe.body);
  app.get("/healthz", async (_request, reply) => answer(reply, probes.health()));
  app.get("/readyz", async (_request, reply) => answer(reply, await probes.ready()));
  app.get("/metrics", async (_request, reply) =>
    reply.type("text/plain; version=0.0.4; charset=utf-8").send(await probes.metrics()),
  );
}

interface GuardedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly port: number;
  readonly options: WebServerOptions;
}

/** Answers what may not pass; undefined lets the request through. See guard.ts for the reasons. */
async function guard({ request, reply, port, options }: GuardedRequest): Promise<FastifyReply | undefined> {
  const { host, origin } = request.headers;
  if (!isOwnHost(host, port)) return reply.code(421).send({ error: "This server is not the one that was asked for." });
  const changes = request.method !== "GET" && request.method !== "HEAD";
  const mustComeFromPage = changes || request.headers.upgrade !== undefined;
  if (origin === undefined ? mustComeFromPage : !isOwnOrigin(origin, host)) {
    return reply.code(403).send({ error: "Only the page itself may ask for this." });
  }
  const path = pathOf(request);
  if (PROBE_PATHS.has(path)) return undefined;
  reply.header("cache-control", "no-cache");
  const cookie = cookieName(port);
  const query = new URLSearchParams(request.url.slice(path.length));
  const link = path === "/" ? query.get("token") : null;
  const isKnown = isToken(readCookie(request.headers.cookie, cookie), options.token);
  if (link !== null && (isKnown || options.links.take(link))) {
    return reply.header("set-cookie", tokenCookie(cookie, options.token)).redirect("/", 303);
  }
  if (!isKnown) {
    return path === "/" ? sendPage(reply, 401, NO_TOKEN) : reply.code(401).send({ error: NO_TOKEN });
  }
  if (!options.isOpen()) {
    return path === "/" ? sendPage(reply, 503, NOT_READY) : reply.code(503).send({ error: NOT_READY });
  }
  // Another local server's page is "same-site" for cookies, but has no business with what the page loads.
  const site = request.headers["sec-fetch-site"];
  if (path !== "/" && (site === "cross-site" || site === "same-site")) {
    return reply.code(403).send({ error: "Only the page itself may ask for this." });
  }
  return undefined;
}

function sendPage(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type("text/html; charset=utf-8").send(plainPage(text));
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "/";
}
