import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import { z } from "zod";

/** Time limit for telling a server that a request is cancelled, in milliseconds; a hanging server takes no notice. */
const GIVING_UP_MS = 1_000;

/** Time limit for notifications and for answers to the server, in milliseconds. */
const TAKING_MS = 60_000;

/** Error code of a request whose answer will not arrive. Source: JSON-RPC 2.0, Error object, codes free to use. */
export const BROKEN_OFF = -32_099;

/** Maximum number of answers that a server has not taken yet; beyond it the connection is closed. */
const MAX_ANSWERS = 100;

const givenUpSchema = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport["send"]>[1]>;

/**
 * Ends a request's POST when the request is cancelled, and fails a request whose answer breaks off. In the first case
 * the SDK only notifies servers of revisions before 2026-07-28, so that one that hangs would hold a connection for
 * every call. In the second it does nothing, so that people would wait for the call's whole time limit.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #waiting = new Map<RequestId, AbortController>();
  #answers = 0;

  constructor(url: URL, options: StreamableHTTPClientTransportOptions) {
    super(url, options);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's hook, which its client calls before its own; it has no events
    this.onmessage = (message) => {
      if (!("method" in message) && message.id !== undefined) this.#waiting.delete(message.id);
    };
  }

  override async send(message: JSONRPCMessage, options: SendOptions = {}): Promise<void> {
    const givenUp = givenUpSchema.safeParse(message);
    if (givenUp.success) {
      this.#giveUp(givenUp.data.params.requestId);
      return super.send(message, { ...options, requestSignal: AbortSignal.timeout(GIVING_UP_MS) });
    }
    if (!isJSONRPCRequest(message)) {
      const bound = { ...options, requestSignal: options.requestSignal ?? AbortSignal.timeout(TAKING_MS) };
      return "method" in message ? super.send(message, bound) : this.#answer(message, bound);
    }
    if (options.requestSignal !== undefined) return super.send(message, options);
    const { id } = message;
    const waiting = new AbortController();
    this.#waiting.set(id, waiting);
    try {
      const ended = { requestSignal: waiting.signal, onRequestStreamEnd: () => this.#breakOff(id) };
      await super.send(message, { ...options, ...ended });
    } catch (error) {
      this.#waiting.delete(id);
      throw error;
    }
  }

  /** Each answer takes a connection of its own, and its contents stay in memory until the server takes it. */
  async #answer(message: JSONRPCMessage, options: SendOptions): Promise<void> {
    if (this.#answers >= MAX_ANSWERS) return this.close();
    this.#answers += 1;
    try {
      await super.send(message, options);
    } finally {
      this.#answers -= 1;
    }
  }

  /** Fails a request whose stream ended before its answer, as when a proxy ends streams that are quiet for a minute. */
  #breakOff(id: RequestId): void {
    if (!this.#waiting.delete(id)) return;
    this.onmessage?.({
      jsonrpc: "2.0",
      id,
      error: { code: BROKEN_OFF, message: "the stream ended before the answer" },
    });
  }

  #giveUp(id: RequestId): void {
    this.#waiting.get(id)?.abort();
    this.#waiting.delete(id);
  }
}
