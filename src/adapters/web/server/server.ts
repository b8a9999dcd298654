import { existsSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import fastifyWebsocket, { type WebSocket } from "@fastify/websocket";
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { isDatabaseUnavailable } from "../../../core/protocol/database-failure.ts";
import { ConfigError } from "../../../core/protocol/errors.ts";
import type { Log } from "../../../core/protocol/log.ts";
import { listenError } from "../../render/listen-error.ts";
import { FRAME_BYTES } from "../../render/local/frame-limits.ts";
import type { LocalThreadStore } from "../../render/local/thread-store.ts";
import type { TeamSessions } from "../sessions/team-sessions.ts";
import { type AccessControlOptions, createAccessControl, isSocket, type Principal, pathOf } from "./access-control.ts";
import { type FeatureRoutes, registerFeatureRoutes } from "./feature-routes.ts";
import { registerFileRoutes } from "./file-routes.ts";
import { withoutPorts } from "./guard.ts";
import { registerLogin } from "./login-routes.ts";
import { registerSessions } from "./session-routes.ts";
import { proofFor } from "./signatures.ts";

/** Answer to any request while the database is unreachable. */
const DATABASE_AWAY = "The database does not answer. Try again in a moment.";

export interface Probe {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: object;
}

/** Probes for orchestrators and monitoring, answered by the composition root. */
export interface Probes {
  /** /healthz: whether the process is alive. */
  health(): Probe;
  /** /readyz: whether the process does its work; if not, status 503 and a body that says what is missing. */
  ready(): Probe | Promise<Probe>;
  /** /metrics: Prometheus' text format. */
  metrics(): Promise<string>;
}

export interface WebServerOptions extends AccessControlOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Proxies trusted to report the visitor's address and the requested host. */
  readonly trustProxy: readonly string[];
  /** Time within which a request must arrive completely, in milliseconds; ARRIVAL_MS if omitted. */
  readonly arrivalMs?: number;
  /** Interval of pings to open pages, in milliseconds; PING_MS if omitted. */
  readonly pingMs?: number;
  readonly pageDirectory: string;
  readonly store: LocalThreadStore;
  readonly probes: Probes;
  readonly log: Log;
  connected(socket: WebSocket, principal: Principal): void;
  /** Closes the open pages of a login session that has ended. */
  signedOut(token: string): void;
  /** The features' routes; none until the features are open. */
  routes(): FeatureRoutes;
  /** Sessions of all platforms; null if the page does not show them. */
  sessions(): TeamSessions | null;
}

/** Twice the time that the largest file needs over a slow line. */
const ARRIVAL_MS = 300_000;
/** Proxies close sockets after a minute of silence, some of them earlier. */
const PING_MS = 15_000;
/** Maximum number of open connections. A flood of them locks out other visitors but leaves the process's work alone. */
const MAX_CONNECTIONS = 2_000;

export interface WebServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts the server; rejects with ConfigError if it cannot listen. */
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
  app.server.maxConnections = MAX_CONNECTIONS;
  const access = createAccessControl(options);
  // Registered before the guard, because the plugin closes the socket of a refused request only if it saw it first.
  await app.register(fastifyWebsocket, { options: { maxPayload: FRAME_BYTES }, preClose: cutSockets });
  pingPages(app, pingMs);
  app.addHook("onRequest", async ({ raw: { headers } }) => {
    headers["x-forwarded-for"] = withoutPorts(headers["x-forwarded-for"]);
  });
  app.addHook("onRequest", async (request, reply) => access.admit(request, reply));
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) options.log.error({ err: error, path: pathOf(request) }, "web_request_failed");
    if (isDatabaseUnavailable(error)) return reply.code(503).send({ error: DATABASE_AWAY });
    return reply.code(status).send({ error: status >= 500 ? "Something broke on the server." : error.message });
  });
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: "Not found." }));
  registerProbes(app, options);
  await app.register(fastifyStatic, { root: options.pageDirectory, cacheControl: false });
  app.get("/live", { websocket: true }, (socket, request) => options.connected(socket, access.principalOf(request)));
  /** Lets a page check that its cookie is still valid, since a refused socket gives no reason. */
  app.get("/session", async () => ({ ok: true }));
  if (options.address.isShared) registerLogin(app, { ...options, access });
  registerFileRoutes(app, options.store);
  const viewerOf = (request: FastifyRequest): Principal => access.principalOf(request);
  registerFeatureRoutes(app, { ...options, routes: () => options.routes() }, viewerOf);
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

/** Terminates all sockets, because a page that ignores the close frame would delay shutdown by half a minute. */
function cutSockets(this: FastifyInstance, done: () => void): void {
  for (const client of this.websocketServer.clients) client.terminate();
  this.websocketServer.close(done);
}

/** Challenge from a program that checks whose server this is; the answer contains the proof. */
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
