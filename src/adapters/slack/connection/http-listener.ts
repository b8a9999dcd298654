import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import { z } from "zod";
import type { PlatformHealth } from "../../../core/platform/chat-platform.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import type { Log } from "../../../core/protocol/log.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { listenError } from "../../render/listen-error.ts";
import { HTTP_LIMITS, type HttpLimits } from "../limits.ts";
import type { Bolt } from "../web.ts";
import type { SlackTransport, TakePayload } from "./transport.ts";

export interface SlackHttpOptions {
  readonly bolt: Bolt;
  readonly signingSecret: string;
  readonly host: string;
  readonly port: number;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly limits?: HttpLimits;
}

/** The result of reading a request: the payload that Slack signed, or the status of the refusal. */
type Delivery =
  | { readonly type: "payload"; readonly payload: unknown }
  | { readonly type: "refused"; readonly status: number };

const PATH = "/slack/events";

const verificationSchema = z.object({ type: z.literal("url_verification"), challenge: z.string() });

/** Receives signed deliveries over HTTP. Serves `/slack/events` and nothing else. */
export class SlackHttp implements SlackTransport {
  readonly #options: SlackHttpOptions;
  #server: Server | undefined;
  #receivingSince = 0;
  /** Requests being served; none rejects. `close` waits for them. */
  readonly #requests = new Set<Promise<unknown>>();
  /** Requests that have not arrived completely, so their sender is unverified. `close` drops them. */
  readonly #arriving = new Set<IncomingMessage>();

  constructor(options: SlackHttpOptions) {
    this.#options = options;
  }

  async open(take: TakePayload, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { host, port, clock, log, limits = HTTP_LIMITS } = this.#options;
    const server = createServer(timeouts(limits), (request, response) => {
      const serving = this.#serve(take, request, response)
        .catch((error: unknown) => {
          log.warn({ message: toAppError(error).message }, "slack_request_failed");
          response.destroy();
        })
        .finally(() => this.#requests.delete(serving));
      this.#requests.add(serving);
    });
    server.maxConnections = limits.connections;
    await new Promise<void>((resolve, reject) => {
      const variables = { host: "SLACK_HTTP_HOST", port: "SLACK_HTTP_PORT" };
      server.once("error", (cause) => reject(listenError(cause, { host, port, variables })));
      server.listen(port, host, resolve);
    });
    this.#server = server;
    this.#receivingSince = clock.now();
    log.info({ address: this.#address() }, "slack_listening");
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    for (const request of this.#arriving) request.destroy();
    await Promise.all(this.#requests);
    server.closeAllConnections();
    await closed;
  }

  health(): PlatformHealth {
    if (this.#server === undefined) return { connected: false, detail: "not listening" };
    return { connected: true, detail: `listening on ${this.#address()}`, receivingSince: this.#receivingSince };
  }

  #address(): string {
    const address = this.#server?.address();
    return address === null || address === undefined || typeof address === "string"
      ? `${this.#options.host}:${this.#options.port}${PATH}`
      : `http://${address.address}:${address.port}${PATH}`;
  }

  async #serve(take: TakePayload, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { bolt, log } = this.#options;
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname !== PATH || request.method !== "POST") {
      response.writeHead(404).end();
      return;
    }
    const delivery = await this.#delivered(request);
    if (delivery.type === "refused") {
      // The rest of the request is not read.
      response.writeHead(delivery.status, { connection: "close" }).end(() => request.destroy());
      return;
    }
    const { payload } = delivery;
    const verification = verificationSchema.safeParse(payload);
    if (verification.success) {
      bolt.HTTPModuleFunctions.buildUrlVerificationResponse(response, verification.data);
      return;
    }
    try {
      const answer = await take(payload);
      bolt.HTTPModuleFunctions.buildContentResponse(response, answer);
    } catch (error) {
      // Any status but 200 makes Slack deliver the event again.
      const { code, message } = toAppError(error);
      log.warn({ code, message }, "slack_event_not_answered");
      response.writeHead(500).end();
    }
  }

  async #delivered(request: IncomingMessage): Promise<Delivery> {
    const { bolt, signingSecret, log, limits = HTTP_LIMITS } = this.#options;
    const { isRawBodyError, parseAndVerifyHTTPRequest, parseHTTPRequestBody } = bolt.HTTPModuleFunctions;
    if (Number(request.headers["content-length"] ?? 0) > limits.bodyBytes) return { type: "refused", status: 413 };
    this.#arriving.add(request);
    try {
      const buffered = await parseAndVerifyHTTPRequest(
        { enabled: true, signingSecret, bodyLimit: limits.bodyBytes },
        request,
      );
      const payload: unknown = parseHTTPRequestBody(buffered);
      return { type: "payload", payload };
    } catch (error) {
      log.warn({ message: toAppError(error).message }, "slack_request_refused");
      return { type: "refused", status: isRawBodyError(error) ? error.statusCode : 401 };
    } finally {
      this.#arriving.delete(request);
    }
  }
}

function timeouts({ headersMs, requestMs }: HttpLimits): ServerOptions {
  return { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: headersMs / 2 };
}
