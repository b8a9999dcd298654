import { existsSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import fastifyWebsocket, { type WebSocket } from "@fastify/websocket";
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { isDatabaseAway } from "../../../core/protocol/database-failure.ts";
import { ConfigError } from "../../../core/protocol/errors.ts";
import type { Log } from "../../../core/protocol/log.ts";
import { listenError } from "../../render/listen-error.ts";
import { FRAME_BYTES } from "../../render/local/frame-limits.ts";
import type { LocalThreadStore } from "../../render/local/thread-store.ts";
import type { TeamSessions } from "../sessions/team-sessions.ts";
import { createDoor, type DoorOptions, isSocket, pathOf, type Visitor } from "./door.ts";
import { type FeatureRoutes, registerFeatureRoutes } from "./feature-routes.ts";
import { registerFileRoutes } from "./file-routes.ts";
import { withoutPorts } from "./guard.ts";
import { registerLogin } from "./login-routes.ts";
import { registerSessions } from "./session-routes.ts";
import { proofFor } from "./signatures.ts";

/** What a person reads, whatever they have asked for. */
const DATABASE_AWAY = "The database does not answer. Try again in a moment.";

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

export interface WebServerOptions extends DoorOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Proxies whose word about the visitor's address and the host that was asked for is taken. */
  readonly trustProxy: readonly string[];
  /** How long a request may take to arrive whole; ARRIVAL_MS when left out. Milliseconds. */
  readonly arrivalMs?: number;
  /** How often an open page hears from the server; PING_MS when left out. Milliseconds. */
  readonly pingMs?: number;
  readonly pageDirectory: string;
  readonly store: LocalThreadStore;
  readonly probes: Probes;
  readonly log: Log;
  connected(socket: WebSocket, visitor: Visitor): void;
  /** A browser's session has ended: what it has open is closed. */
  signedOut(token: string): void;
  /** What features answer; none until they are open. */
  routes(): FeatureRoutes;
  /** Sessions of all platforms; null where nobody shows them. */
  sessions(): TeamSessions | null;
}

/** A file of the largest size over a slow line takes half of it. */
const ARRIVAL_MS = 300_000;
/** Proxies cut a socket that has been silent for a minute, some of them earlier. */
const PING_MS = 15_000;
/** Open at once. Strangers who hold that many keep out others, and take nothing from what else the process does. */
const MOST_CONNECTIONS = 2_000;

export interface WebServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens; rejects with ConfigError when it cannot. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  if (!existsSync(join(options.pageDirectory, "index.html"))) {
    throw new ConfigError([`The web page is not built in ${options.pageDirectory}. Run npm run build.`]);
  }
  const trustProxy = options.trustProxy.length === 0 ? false : [...options.trustProxy];
  const { arrivalMs = ARRIVAL_MS, pingMs = PING_MS } = options;
  const http = {
    headersTimeout: arrivalMs / 5,
    connectionsCheckingInterval: arrivalMs / 10,
    shouldUpgradeCallback: isSocket,
  };
  const app = fastify({ forceCloseConnections: true, bodyLimit: 1024, trustProxy, requestTimeout: arrivalMs, http });
  app.server.maxConnections = MOST_CONNECTIONS;
  const door = createDoor(options);
  // Before the guard: only requests that it has seen have their socket closed when the guard refuses them.
  await app.register(fastifyWebsocket, { options: { maxPayload: FRAME_BYTES }, preClose: cutSockets });
  pingPages(app, pingMs);
  app.addHook("onRequest", async ({ raw: { headers } }) => {
    headers["x-forwarded-for"] = withoutPorts(headers["x-forwarded-for"]);
  });
  app.addHook("onRequest", async (request, reply) => door.admit(request, reply));
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) options.log.error({ err: error, path: pathOf(request) }, "web_request_failed");
    if (isDatabaseAway(error)) return reply.code(503).send({ error: DATABASE_AWAY });
    return reply.code(status).send({ error: status >= 500 ? "Something broke on the server's side." : error.message });
  });
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: "There is nothing here." }));
  registerProbes(app, options);
  await app.register(fastifyStatic, { root: options.pageDirectory, cacheControl: false });
  app.get("/live", { websocket: true }, (socket, request) => options.connected(socket, door.visitorOf(request)));
  /** Whether the cookie still fits: a page asks when its socket is refused without a reason. */
  app.get("/session", async () => ({ ok: true }));
  if (options.address.isShared) registerLogin(app, { ...options, door });
  registerFileRoutes(app, options.store);
  const viewerOf = (request: FastifyRequest): Visitor => door.visitorOf(request);
  registerFeatureRoutes(app, () => options.routes(), viewerOf);
  registerSessions(app, () => options.sessions(), viewerOf);
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

function pingPages(app: FastifyInstance, everyMs: number): void {
  const pinging = setInterval(() => {
    for (const client of app.websocketServer.clients) client.ping();
  }, everyMs);
  pinging.unref();
  app.addHook("onClose", () => clearInterval(pinging));
}

/** Stopping waits for no page: one that does not answer the close frame would hold it up for half a minute. */
function cutSockets(this: FastifyInstance, done: () => void): void {
  for (const client of this.websocketServer.clients) client.terminate();
  this.websocketServer.close(done);
}

/** A question of whoever must know whose server this is; its proof is in the answer. */
const QUESTION = /^[\w-]{22}$/u;

function registerProbes(app: FastifyInstance, { probes, token }: Pick<WebServerOptions, "probes" | "token">): void {
  const answer = (reply: FastifyReply, probe: Probe): FastifyReply =>
    reply.code(probe.status).header("cache-control", "no-store").send(probe.body);
  app.get<{ Querystring: { ask?: unknown } }>("/healthz", async ({ query: { ask } }, reply) => {
    const { status, body } = probes.health();
    const isAsked = typeof ask === "string" && QUESTION.test(ask);
    return answer(reply, { status, body: isAsked ? { ...body, proof: proofFor(token, ask) } : body });
  });
  app.get("/readyz", async (_request, reply) => answer(reply, await probes.ready()));
  app.get("/metrics", async (_request, reply) =>
    reply.type("text/plain; version=0.0.4; charset=utf-8").send(await probes.metrics()),
  );
}
