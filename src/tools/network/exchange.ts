import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { isForbiddenAddress } from "./addresses.ts";
import { type Body, type BodyBounds, readBody } from "./body.ts";
import { type ConnectOptions, connect } from "./connect.ts";
import type { Connection } from "./established.ts";
import type { FetchLimits } from "./limits.ts";
import { NetworkRefusal } from "./refusal.ts";

export interface HttpResponse extends Body {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ExchangeOptions extends ConnectOptions {
  readonly limits: FetchLimits;
}

/** Options as callers give them; omitted ones have defaults. */
export type NetworkOptions<Limits extends FetchLimits> = Pick<ConnectOptions, "resolve"> &
  Partial<ConnectOptions> & { readonly limits?: Partial<Limits> };

export function exchangeOptions<Limits extends FetchLimits>(given: NetworkOptions<Limits>, usual: Limits) {
  return { isForbiddenAddress, ...given, limits: { ...usual, ...given.limits } };
}

export interface HttpRequest {
  readonly url: URL;
  /** Defaults to GET. */
  readonly method?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Text is sent as UTF-8. */
  readonly body?: string | Uint8Array | undefined;
  /** Aborts at the deadline of the whole fetch. */
  readonly deadline: AbortSignal;
  /** See `BodyBounds`. */
  readonly received?: BodyBounds["received"];
}

/** Makes one request over a connection of its own, within the limits. Throws NetworkRefusal, or the signal's reason. */
export async function exchange(ask: HttpRequest, options: ExchangeOptions, signal: AbortSignal): Promise<HttpResponse> {
  const { headMs, bodyBytes } = options.limits;
  const headDeadline = AbortSignal.any([ask.deadline, AbortSignal.timeout(headMs)]);
  const message = await head(ask, options, { headDeadline, signal });
  const { deadline, received } = ask;
  const body = await readBody(message, { maxBytes: bodyBytes, deadline, received }, signal);
  return {
    ...body,
    status: message.statusCode ?? 0,
    statusText: message.statusMessage ?? "",
    headers: message.headers,
  };
}

async function head(
  ask: HttpRequest,
  options: ExchangeOptions,
  { headDeadline, signal }: { readonly headDeadline: AbortSignal; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const stopped = AbortSignal.any([signal, headDeadline]);
  try {
    const connection = await connect(ask.url, options, stopped);
    const asked = responseHead({ ...ask, connection, maxHeaderSize: options.limits.headBytes }, stopped);
    return await asked.catch((cause: unknown) => {
      connection.socket.destroy();
      throw cause;
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (headDeadline.aborted) throw new NetworkRefusal(`${ask.url.host} did not answer in time.`, cause);
    throw cause;
  }
}

interface HeadRequest extends Pick<HttpRequest, "url" | "method" | "headers" | "body"> {
  readonly connection: Connection;
  readonly maxHeaderSize: number;
}

/** Sends plain HTTP over an open connection, encrypted or not, and waits for the response head. */
function responseHead({ url, method, headers, body, connection, maxHeaderSize }: HeadRequest, stopped: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { socket, target } = connection;
  const asked = request({
    createConnection: () => socket,
    method,
    path: target,
    headers: { ...headers, ...connection.headers, host: url.host, connection: "close" },
    maxHeaderSize,
  });
  // Informational responses each have a head of their own that the runtime limits only singly, so a server could send
  // them endlessly.
  asked.on("information", () => {
    if (socket.bytesRead > maxHeaderSize)
      asked.destroy(new NetworkRefusal("The headers of the response are too large."));
  });
  const abort = (): void => void asked.destroy();
  stopped.addEventListener("abort", abort, { once: true });
  if (stopped.aborted) abort();
  asked.once("response", resolve);
  asked.on("error", (cause) => reject(new NetworkRefusal("The server's response is not valid HTTP.", cause)));
  asked.once("upgrade", () => reject(new NetworkRefusal("The server wants to switch to a protocol other than HTTP.")));
  asked.end(body);
  return promise.finally(() => {
    stopped.removeEventListener("abort", abort);
  });
}
