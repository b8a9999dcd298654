import { stat } from "node:fs/promises";
import path from "node:path";
import fastifyStatic from "@fastify/static";
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { NOTHING_HERE, OWN_PAGE_HEADERS, passwordPage, plainPage, siteHeaders } from "./pages.ts";
import { createPassIssuer, type PassIssuer } from "./pass-issuer.ts";
import { createPasswordCheck } from "./password.ts";
import { type Asked, addressOf, readAddress } from "./site-path.ts";
import type { Sites } from "./sites.ts";
import type { ServedSite } from "./store.ts";

export interface SiteServerOptions {
  readonly host: string;
  readonly port: number;
  /** The public address, if a proxy stands before this server; otherwise null. */
  readonly url: string | null;
  readonly sites: Pick<Sites, "served" | "pathOf">;
  /** The secret that signs passes of sites without a password. */
  readonly passKey: string;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}

export interface SiteServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Maximum size of a submitted password form, in bytes. */
const FORM_BYTES = 4_096;
/** Time limit for a request to arrive completely, in milliseconds. */
const ARRIVAL_MS = 20_000;
/** Maximum number of open connections. */
const MAX_CONNECTIONS = 1_000;
/** Maximum size of a request's headers, including its address, in bytes. */
const HEADER_BYTES = 16_384;

/** Serves sites and nothing else, on an origin of their own. Rejects with the system's error if it cannot listen. */
export async function startSiteServer(options: SiteServerOptions): Promise<SiteServer> {
  const { host, port, url, log } = options;
  const app = fastify({
    forceCloseConnections: true,
    bodyLimit: FORM_BYTES,
    requestTimeout: ARRIVAL_MS,
    http: {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: ARRIVAL_MS / 2,
      connectionsCheckingInterval: ARRIVAL_MS / 4,
    },
    // Forwarding headers are only trusted from a proxy on this machine.
    trustProxy: url === null ? false : "loopback",
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  await app.register(fastifyStatic, { root: path.parse(process.cwd()).root, serve: false });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body)).get("password") ?? ""),
  );
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(OWN_PAGE_HEADERS);
    const known = isKnownHost(request.headers.host, { ...options, port: request.socket.localPort ?? port });
    return known ? undefined : sendPage(reply, 421, "This server is not the one that was asked for.");
  });
  app.setErrorHandler(async (error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, "site_request_failed");
    return status === 404
      ? sendPage(reply, 404, NOTHING_HERE)
      : sendPage(reply, status, status >= 500 ? "Something broke here. Try again." : "This cannot be answered.");
  });
  app.setNotFoundHandler(async (_request, reply) => sendPage(reply, 404, NOTHING_HERE));
  register(app, options);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw error;
  }
  const address = app.server.address();
  return { port: typeof address === "object" && address !== null ? address.port : port, close: () => app.close() };
}

function register(app: FastifyInstance, { sites, clock, passKey }: SiteServerOptions): void {
  const passes = createPassIssuer(clock, passKey);
  const checkPassword = createPasswordCheck(clock);
  const found = async (request: FastifyRequest) => {
    const asked = readAddress(request.raw.url ?? "");
    const site = asked === null ? null : await sites.served(asked.name);
    return asked === null || site === null ? null : { asked, site };
  };
  app.get("/sites/*", async (request, reply) => {
    const visit = await found(request);
    if (visit === null) return sendPage(reply, 404, NOTHING_HERE);
    return answer({ ...visit, request, reply, passes, root: sites.pathOf(visit.site.served) });
  });
  app.post<{ Body: string | undefined }>("/sites/*", async (request, reply) => {
    const visit = await found(request);
    if (visit === null || visit.site.passwordHash === null) return sendPage(reply, 404, NOTHING_HERE);
    const { asked, site } = visit;
    const { name, passwordHash: hash } = visit.site;
    const password = request.body ?? "";
    const verdict = await checkPassword({ site: name, address: request.ip, password, hash });
    if (verdict === "right") return reply.redirect(addressOf({ ...asked, pass: passes.issue(site) }), 303);
    if (verdict === "wrong") return sendHtml(reply, 401, passwordPage(name, "That is not the password."));
    reply.header("retry-after", verdict.waitS);
    const minutes = Math.ceil(verdict.waitS / 60);
    const words = `Too many attempts. Wait ${minutes === 1 ? "a minute" : `${minutes} minutes`}, then try again.`;
    return sendHtml(reply, 429, passwordPage(name, words));
  });
}

interface Visit {
  readonly asked: Asked;
  readonly site: ServedSite;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly passes: PassIssuer;
  /** The folder of the served copy. */
  readonly root: string;
}

async function answer(visit: Visit): Promise<FastifyReply> {
  const { asked, site, request, reply, passes } = visit;
  const mode = request.headers["sec-fetch-mode"];
  const isNavigation = mode === "navigate";
  if (asked.pass !== null && !passes.isValid(asked.pass, site)) {
    return isNavigation || mode === undefined
      ? reply.redirect(addressOf({ ...asked, pass: null }), 302)
      : sendPage(reply, 403, "This visit has ended. Reload the page.");
  }
  if (asked.pass === null && site.passwordHash !== null) return sendHtml(reply, 401, passwordPage(site.name, ""));
  if (asked.pass === null && isNavigation) {
    return reply.redirect(addressOf({ ...asked, pass: passes.issue(site) }), 302);
  }
  return sendFile(visit);
}

/** Sends a file of the copy, or a directory's index. The copy contains no links, so every path stays within it. */
async function sendFile({ asked, request, reply, root }: Visit): Promise<FastifyReply> {
  const { segments, isDirectory } = asked;
  const kind = await kindOf(path.join(root, ...segments));
  if (kind === "directory" && !isDirectory) return reply.redirect(addressOf({ ...asked, isDirectory: true }), 302);
  if (kind === null || (kind === "file" && isDirectory)) return sendPage(reply, 404, NOTHING_HERE);
  const names = isDirectory ? [...segments, "index.html"] : segments;
  if (isDirectory && (await kindOf(path.join(root, ...names))) !== "file") return sendPage(reply, 404, NOTHING_HERE);
  reply.headers(siteHeaders({ isPassed: asked.pass !== null, origin: request.headers.origin }));

  const found = `/${names.join("/")}`;
  return reply.sendFile(found, root, { cacheControl: false, dotfiles: "deny", index: false });
}

async function kindOf(file: string): Promise<"file" | "directory" | null> {
  try {
    const found = await stat(file);
    return found.isFile() ? "file" : found.isDirectory() ? "directory" : null;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/u;

/**
 * Whether the server was addressed by its own name. Other names that lead to this machine are refused, since pages
 * under such a name could read the sites (DNS rebinding).
 */
function isKnownHost(given: string | undefined, { url, host, port }: SiteServerOptions): boolean {
  const asked = URL.parse(`http://${given ?? ""}`);
  if (asked === null) return false;
  const isOwn = LOOPBACK.test(asked.hostname) || asked.hostname === host;
  if (isOwn && Number(asked.port === "" ? 80 : asked.port) === port) return true;
  return url !== null && URL.parse(url)?.host === given?.toLowerCase();
}

const HTML = "text/html; charset=utf-8";

function sendPage(reply: FastifyReply, status: number, sentence: string): FastifyReply {
  return sendHtml(reply, status, plainPage(sentence));
}

function sendHtml(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply.code(status).type(HTML).send(html);
}
