import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { type Body, readBody } from "./body.ts";
import { type ConnectOptions, connect } from "./connect.ts";
import type { FetchLimits } from "./limits.ts";
import { NetworkRefusal } from "./refusal.ts";

export interface Answer extends Body {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ExchangeOptions extends ConnectOptions {
  readonly limits: FetchLimits;
}

export interface Ask {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Aborts when the time of the whole fetch is over. */
  readonly deadline: AbortSignal;
}

/** One GET over a connection of its own, within the limits. Throws NetworkRefusal, or the signal's reason. */
export async function exchange(ask: Ask, options: ExchangeOptions, signal: AbortSignal): Promise<Answer> {
  const { headMs, bodyBytes } = options.limits;
  const headDeadline = AbortSignal.any([ask.deadline, AbortSignal.timeout(headMs)]);
  const message = await head(ask, options, { headDeadline, signal });
  const body = await readBody(message, { maxBytes: bodyBytes, deadline: ask.deadline }, signal);
  return {
    ...body,
    status: message.statusCode ?? 0,
    statusText: message.statusMessage ?? "",
    headers: message.headers,
  };
}

async function head(
  { url, headers }: Ask,
  options: ExchangeOptions,
  { headDeadline, signal }: { readonly headDeadline: AbortSignal; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const stopped = AbortSignal.any([signal, headDeadline]);
  try {
    const socket = await connect(url, options, stopped);
    const asked = { url, headers, socket, maxHeaderSize: options.limits.headBytes };
    return await responseHead(asked, stopped).catch((cause: unknown) => {
      socket.destroy();
      throw cause;
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (headDeadline.aborted) throw new NetworkRefusal(`${url.host} did not answer in time.`, cause);
    throw cause;
  }
}

interface HeadRequest {
  readonly url: URL;
  readonly headers: Ask["headers"];
  readonly socket: Socket;
  readonly maxHeaderSize: number;
}

/** Plain HTTP on a connection that stands, encrypted or not. */
function responseHead({ url, headers, socket, maxHeaderSize }: HeadRequest, stopped: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request({
    createConnection: () => socket,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, connection: "close" },
    maxHeaderSize,
  });
  const abort = (): void => void asked.destroy();
  stopped.addEventListener("abort", abort, { once: true });
  if (stopped.aborted) abort();
  asked.once("response", resolve);
  asked.on("error", (cause) => reject(new NetworkRefusal("The server gave no valid HTTP response.", cause)));
  asked.once("upgrade", () => reject(new NetworkRefusal("The server wants to speak something else than HTTP.")));
  asked.end();
  return promise.finally(() => {
    stopped.removeEventListener("abort", abort);
  });
}
