import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import { z } from "zod";

/** Milliseconds for telling a server that a request is given up; one that hangs does not take that, either. */
const GIVING_UP_MS = 1_000;

/** Answers to what a server asks of us that it has not taken yet: one that leaves more of them is let go of. */
const MOST_ANSWERS = 100;

const givenUpSchema = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport["send"]>[1]>;

/**
 * Ends a request's POST when the request is given up. By itself the SDK only says so to a server of the revisions
 * before 2026-07-28, and one that hangs would keep a connection open for every call.
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
    if (!isJSONRPCRequest(message))
      return "method" in message ? super.send(message, options) : this.#answer(message, options);
    if (options.requestSignal !== undefined) return super.send(message, options);
    const waiting = new AbortController();
    this.#waiting.set(message.id, waiting);
    try {
      await super.send(message, { ...options, requestSignal: waiting.signal });
    } catch (error) {
      this.#waiting.delete(message.id);
      throw error;
    }
  }

  /** Each is a connection of its own, and what it says is held until it is taken. */
  async #answer(message: JSONRPCMessage, options: SendOptions): Promise<void> {
    if (this.#answers >= MOST_ANSWERS) return this.close();
    this.#answers += 1;
    try {
      await super.send(message, options);
    } finally {
      this.#answers -= 1;
    }
  }

  #giveUp(id: RequestId): void {
    this.#waiting.get(id)?.abort();
    this.#waiting.delete(id);
  }
}
