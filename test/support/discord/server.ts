import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { readBody } from "./answers.ts";
import { Api } from "./api.ts";
import { Buckets, type Limit } from "./buckets.ts";
import { Faults, type RequestKind } from "./faults.ts";
import { Gateway } from "./gateway.ts";
import { Interactions } from "./interactions.ts";
import { guildPayload, type View } from "./payloads.ts";
import { People } from "./people.ts";
import { World } from "./world.ts";

export interface DiscordServerOptions {
  /** Origin under which bots reach the server, if it is not where it listens. */
  readonly origin?: string;
  readonly token?: string;
  readonly heartbeatMs?: number;
  /** Minimum milliseconds between sessions; Discord's is 5 s. No limit if omitted. */
  readonly identifyEveryMs?: number;
  /** The developer portal's switch for the MESSAGE CONTENT intent; defaults to on. */
  readonly messageContent?: boolean;
  /** Allowed requests per window by kind; defaults to `DISCORD_BUCKETS`. */
  readonly limits?: Readonly<Record<string, Limit>>;
  /** How long a nonce is remembered, in milliseconds. */
  readonly nonceMs?: number;
  readonly now?: () => number;
}

/** The documented global limit, and the per-channel limits that Discord's headers show in practice. */
export const DISCORD_BUCKETS: Readonly<Record<string, Limit>> = {
  global: { requests: 50, perMs: 1_000 },
  post: { requests: 5, perMs: 5_000 },
  edit: { requests: 5, perMs: 5_000 },
};

export interface SeenRequest {
  readonly kind: RequestKind;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** Starts a local Discord on a free port. The bot reaches it by `apiUrl` and `token`, even from another process. */
export async function startDiscordServer(options: DiscordServerOptions = {}): Promise<DiscordServer> {
  const server = new DiscordServer(options);
  await server.listen();
  return server;
}

export class DiscordServer implements AsyncDisposable {
  readonly world: World;
  readonly people: People;
  readonly gateway: Gateway;
  readonly interactions: Interactions;
  readonly faults = new Faults();
  readonly api: Api;
  /** All requests to the REST API in order. */
  readonly requests: SeenRequest[] = [];
  port = 0;
  token: string;
  messageContent: boolean;
  readonly #http: Server;
  readonly #buckets: Buckets;
  readonly #view: View & { origin: string };

  constructor(options: DiscordServerOptions) {
    const now = options.now ?? Date.now;
    this.token = options.token ?? "local-discord-token";
    this.messageContent = options.messageContent ?? true;
    this.world = new World(now);
    this.#view = { world: this.world, origin: options.origin ?? "", urlGeneration: () => this.faults.urlGeneration };
    const view: View = this.#view;
    this.interactions = new Interactions(now);
    this.#buckets = new Buckets(options.limits ?? DISCORD_BUCKETS, now);
    this.gateway = new Gateway({
      token: () => this.token,
      heartbeatMs: options.heartbeatMs ?? 41_250,
      identifyEveryMs: options.identifyEveryMs,
      messageContent: () => this.messageContent,
      url: () => this.#gatewayUrl(),
      ready: () => this.#ready(),
    });
    const dispatch = (t: string, d: unknown) => this.gateway.dispatch(t, d);
    this.people = new People({ world: this.world, view, interactions: this.interactions, dispatch });
    this.api = new Api({
      world: this.world,
      view,
      interactions: this.interactions,
      dispatch,
      gatewayUrl: () => this.#gatewayUrl(),
      now,
      nonceMs: options.nonceMs ?? 180_000,
      withheld: this.faults.withheld,
      closedDms: this.faults.closedDms,
      interactionsEndpoint: () => this.faults.interactionsEndpoint,
    });
    this.#http = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : undefined),
      );
    });
    this.#http.on("upgrade", (request, socket, head) => this.gateway.upgrade(request, socket, head));
  }

  /** The REST root without version, for DISCORD_API_URL. */
  get apiUrl(): string {
    return `${this.#view.origin}/api`;
  }

  /** Requests answered with 429. */
  get tooManyRequests(): number {
    return this.requests.filter(({ status }) => status === 429).length;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#http.listen(0, "127.0.0.1", resolve);
    });
    const address = this.#http.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    this.port = address.port;
    this.#view.origin ||= `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gateway.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #gatewayUrl(): string {
    return `${this.#view.origin.replace("http", "ws")}/gateway`;
  }

  #ready() {
    const guilds = [...this.world.guilds.values()];
    const { bot } = this.world;
    return {
      d: {
        v: 10,
        user: bot,
        guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
        application: { id: bot.id, flags: 0 },
        shard: [0, 1],
      },
      after: guilds.map((guild) => ({ t: "GUILD_CREATE", d: guildPayload(this.world, guild) })),
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.#view.origin);
    const body = await buffer(request);
    if (url.pathname.startsWith("/attachments/")) {
      this.#serveFile(url, response);
      return;
    }
    const path = url.pathname.replace(/^\/api\/v10/u, "");
    const method = request.method ?? "GET";
    const kind = kindOf(method, path);
    const answer = await this.#decide(request, { kind, method, path, query: url.searchParams, body });
    this.requests.push({ kind, method, path, status: answer.status });
    await this.faults.held(kind);
    const loss = answer.status < 300 ? this.faults.lostResponse(kind) : null;
    if (loss !== null) {
      if (loss === "reset") request.socket.resetAndDestroy();
      else response.destroy();
      return;
    }
    if (answer.body === undefined) response.writeHead(answer.status, answer.headers).end();
    else {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    }
  }

  async #decide(request: IncomingMessage, asked: Asked): Promise<Decided> {
    const { kind, method, path, query, body } = asked;
    const byToken = path.startsWith("/interactions/") || path.startsWith("/webhooks/");
    if (!byToken && request.headers.authorization !== `Bot ${this.token}`) {
      return { status: 401, body: { message: "401: Unauthorized", code: 0 }, headers: {} };
    }
    const asksToWaitMs = this.faults.rateLimit(kind);
    if (asksToWaitMs !== null) return tooMany(asksToWaitMs, false, {});
    const verdict = this.#buckets.take(byToken ? "interaction" : kind, path.split("/")[2] ?? "");
    if (!verdict.allowed) return tooMany(verdict.retryAfterMs, verdict.global, verdict.headers);
    const refusal = this.faults.failure(kind);
    if (refusal !== null) return { ...refusal, headers: typeof refusal.body === "string" ? HTML : verdict.headers };
    const { json, files } = await readBody(body, request.headers["content-type"] ?? "", () => this.world.nextId());
    return { ...this.api.handle({ method, path, query, json, files }), headers: verdict.headers };
  }

  #serveFile(url: URL, response: ServerResponse): void {
    const [, , channelId = "", fileId = ""] = url.pathname.split("/");
    const messages = this.world.channels.get(channelId)?.messages ?? [];
    const file = messages.flatMap((message) => message.files).find((candidate) => candidate.id === fileId);
    if (this.faults.htmlInsteadOfFiles) {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>");
      return;
    }
    if (this.faults.filesMovedTo !== null) {
      response.writeHead(302, { location: this.faults.filesMovedTo }).end();
      return;
    }
    if (file === undefined || url.searchParams.get("ex") !== String(this.faults.urlGeneration)) {
      response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.");
    } else response.writeHead(200, { "content-type": file.mediaType }).end(file.data);
  }
}

const HTML = { "content-type": "text/html; charset=UTF-8" };

interface Asked {
  readonly kind: RequestKind;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

interface Decided {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

function tooMany(retryAfterMs: number, global: boolean, headers: Readonly<Record<string, string>>): Decided {
  const seconds = retryAfterMs / 1_000;
  return {
    status: 429,
    body: { message: "You are being rate limited.", retry_after: seconds, global, code: 0 },
    headers: { ...headers, "retry-after": String(seconds), ...(global ? { "x-ratelimit-global": "true" } : {}) },
  };
}

function kindOf(method: string, path: string): RequestKind {
  if (/^\/channels\/\d+\/messages$/u.test(path)) return method === "POST" ? "post" : "read";
  if (/^\/channels\/\d+\/messages\/\d+$/u.test(path)) return method === "PATCH" ? "edit" : "read";
  if (path.endsWith("/threads")) return "thread";
  if (path.includes("/reactions/")) return "react";
  if (path.endsWith("/callback")) return "callback";
  return "other";
}
