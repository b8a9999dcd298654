import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { SlackDeliveries } from "./slack-deliveries.ts";
import type { SlackFaults } from "./slack-faults.ts";
import type { SlackLimiter } from "./slack-limits.ts";
import type { Answer, Args, MethodContext } from "./slack-method.ts";
import { METHODS, scopesOf } from "./slack-methods.ts";
import type { ApiCall } from "./slack-model.ts";
import { takeAnswer } from "./slack-private.ts";

export interface SlackApiOptions {
  readonly context: MethodContext;
  readonly deliveries: SlackDeliveries;
  readonly faults: SlackFaults;
  readonly limiter: SlackLimiter;
  readonly botToken: string;
  readonly appToken: string;
  /** Scopes of the bot token. */
  readonly scopes: Set<string>;
  readonly calls: ApiCall[];
}

/** Serves `/api/<method>`, uploads and private files. */
export async function serveApi(
  options: SlackApiOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", options.context.origin);
  const [, root = "", name = ""] = url.pathname.split("/");
  const body = await buffer(request);
  if (root === "api") await callMethod(options, { method: name, args: argsOf(body), request, response });
  else if (root === "upload") await takeUpload(options, { id: name, body, request, response });
  else if (root === "response") takeAnswer(options.context.workspace, { id: name, body, response });
  else if (root === "files-pri") giveFile(options, { id: name, request, response });
  else response.writeHead(404).end();
}

function argsOf(body: Buffer): Args {
  return Object.fromEntries(new URLSearchParams(body.toString("utf8")));
}

interface Call {
  readonly method: string;
  readonly args: Args;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function callMethod(options: SlackApiOptions, { method, args, request, response }: Call): Promise<void> {
  const record = (outcome: string) => {
    options.calls.push({ method, at: Date.now(), args, outcome });
  };
  const fault = options.faults.take(method);
  if (fault?.kind === "status") {
    record(String(fault.status));
    response.writeHead(fault.status).end("Something went wrong");
    return;
  }
  const channel = args.channel ?? args.channel_id ?? "";
  const waitS = fault?.kind === "rate_limited" ? fault.retryAfterS : options.limiter.check(method, channel);
  if (waitS > 0) {
    record("429");
    response.writeHead(429, { "retry-after": String(waitS) }).end(JSON.stringify({ ok: false, error: "ratelimited" }));
    return;
  }
  if (fault?.kind === "late") await fault.until;
  const answer = fault?.kind === "error" ? fault.error : answerOf(options, { method, args, request });
  record(fault?.kind === "lost" ? "lost" : typeof answer === "string" ? answer : "ok");
  if (fault?.kind === "lost") {
    request.socket.destroy();
    return;
  }
  if (fault?.kind === "slow") await fault.until;
  send(
    options,
    response,
    typeof answer === "string" ? failure(options, { method, args }, answer) : { ok: true, ...answer },
  );
}

function failure(options: SlackApiOptions, { method, args }: Pick<Call, "method" | "args">, error: string): object {
  if (error !== "missing_scope") return { ok: false, error };
  return {
    ok: false,
    error,
    needed: scopesOf(method, args).find((scope) => !options.scopes.has(scope)) ?? "",
    provided: [...options.scopes].join(","),
  };
}

function send(options: SlackApiOptions, response: ServerResponse, body: object): void {
  response
    .writeHead(200, { "content-type": "application/json", "x-oauth-scopes": [...options.scopes].join(",") })
    .end(JSON.stringify(body));
}

function answerOf(options: SlackApiOptions, { method, args, request }: Omit<Call, "response">): Answer {
  const token = (request.headers.authorization ?? "").replace(/^Bearer /u, "") || args.token;
  if (method === "apps.connections.open") {
    // The socket uses the address by which the app has come, so a proxy to Slack also applies to the socket.
    const origin = `${new URL(options.context.origin).protocol}//${request.headers.host ?? ""}`;
    return token === options.appToken ? { url: options.deliveries.ticket(origin) } : "invalid_auth";
  }
  if (token !== options.botToken) return "invalid_auth";
  if (options.faults.isTokenExpired) return "token_expired";
  if (scopesOf(method, args).some((scope) => !options.scopes.has(scope))) return "missing_scope";
  const run = METHODS[method];
  return run === undefined ? "unknown_method" : run(args, options.context);
}

interface Transfer {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function takeUpload(
  { context }: SlackApiOptions,
  { id, body, request, response }: Transfer & { body: Buffer },
): Promise<void> {
  const file = context.workspace.files.get(id);
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  const type = request.headers["content-type"] ?? "";
  const data = type.startsWith("multipart/") ? await onlyPart(body, type) : new Uint8Array(body);
  context.workspace.files.set(id, { ...file, data });
  response.writeHead(200).end(`OK - ${data.length}`);
}

async function onlyPart(body: Buffer, type: string): Promise<Uint8Array> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  const [part] = form.values();
  if (part === undefined || typeof part === "string") return new TextEncoder().encode(part ?? "");
  return new Uint8Array(await part.arrayBuffer());
}

/** Without the scope, Slack answers with its login page and status 200. */
function giveFile({ context, botToken, scopes }: SlackApiOptions, { id, request, response }: Transfer): void {
  const file = context.workspace.files.get(id);
  if (file === undefined) {
    response.writeHead(404).end();
  } else if (request.headers.authorization !== `Bearer ${botToken}` || !scopes.has("files:read")) {
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end("<!DOCTYPE html><title>Sign in | Slack</title>");
  } else if (file.movedTo !== undefined) {
    response.writeHead(302, { location: file.movedTo }).end();
  } else {
    // A canvas is served as the web page that shows it.
    const type = file.mimetype === "application/vnd.slack-docs" ? "text/html; charset=utf-8" : file.mimetype;
    response.writeHead(200, { "content-type": type, "content-length": file.data.length }).end(file.data);
  }
}
