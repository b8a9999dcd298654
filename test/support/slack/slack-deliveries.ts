import { createHmac } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";

export interface DeliveryOptions {
  /** Delays before each retry of an unanswered delivery, in milliseconds. Slack's: none, 1 min, 5 min. */
  readonly retryDelaysMs: readonly number[];
  /** Deadline for an answer in milliseconds. Slack's: 3 s. */
  readonly answerWithinMs: number;
  readonly signingSecret: string;
}

type Kind = "events_api" | "interactive" | "slash_commands";

/** An envelope in delivery, until it is answered or given up. */
export interface Delivery {
  readonly answered: Promise<void>;
  isAnswered(): boolean;
  /** The app's answer, e.g. the reply to a command. */
  response(): unknown;
}

interface Pending extends Delivery {
  readonly id: string;
  readonly kind: Kind;
  readonly payload: Readonly<Record<string, unknown>>;
  answer(response: unknown): void;
  attempt: number;
  /** The socket over which it was last sent. */
  sentOver: WebSocket | null;
  /** True if it was due while no socket was open. */
  isHeldUp: boolean;
}

const ackSchema = z.object({ envelope_id: z.string(), payload: z.unknown().optional() });

/** Delivers envelopes to the app over its sockets or its HTTP address, repeatedly until they are answered. */
export class SlackDeliveries {
  readonly #options: DeliveryOptions;
  readonly #sockets = new Set<WebSocket>();
  readonly #frozen = new Set<WebSocket>();
  readonly #pending = new Map<string, Pending>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #server = new WebSocketServer({ noServer: true });
  /** Requests in progress; never rejects. */
  #asking: Promise<unknown> = Promise.resolve();
  #tickets = 0;
  #envelopes = 0;
  #requestUrl: string | null = null;
  #onConnect: (() => void)[] = [];

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** The address to which an app connects its socket. */
  ticket(origin: string): string {
    this.#tickets += 1;
    return `${origin.replace("http", "ws")}/link?ticket=${this.#tickets}`;
  }

  accept(http: Server): void {
    http.on("upgrade", (request: IncomingMessage, socket, head) => {
      this.#server.handleUpgrade(request, socket, head, (client) => this.#connected(client));
    });
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** Sends signed events to an HTTP address from now on. */
  useHttp(requestUrl: string): void {
    this.#requestUrl = requestUrl;
    for (const pending of this.#pending.values()) this.#send(pending);
  }

  /** Resolves when the next socket is ready. */
  nextConnection(): Promise<void> {
    return new Promise((resolve) => {
      this.#onConnect.push(resolve);
    });
  }

  /** Closes all sockets, as when Slack recycles a connection or a network breaks it. */
  cut(how: "disconnect" | "break"): void {
    for (const socket of this.#sockets) {
      if (how === "disconnect") socket.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
      else socket.terminate();
      this.#sockets.delete(socket);
    }
  }

  /** Keeps the sockets open, but stops all traffic, even pongs. */
  freeze(): void {
    for (const socket of this.#sockets) {
      socket.pause();
      this.#frozen.add(socket);
      this.#sockets.delete(socket);
    }
  }

  /** Drops unanswered deliveries, as Slack does after its last retry. */
  giveUp(): void {
    this.#pending.clear();
  }

  /** Sends bytes that are no envelope directly to the app. */
  raw(text: string): void {
    for (const socket of this.#sockets) socket.send(text);
  }

  deliver(kind: Kind, payload: Readonly<Record<string, unknown>>): Delivery {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#envelopes += 1;
    const id = `envelope-${this.#envelopes}`;
    let answered = false;
    let response: unknown;
    const pending: Pending = {
      id,
      kind,
      payload,
      attempt: 0,
      sentOver: null,
      isHeldUp: false,
      answered: promise,
      isAnswered: () => answered,
      response: () => response,
      answer: (value) => {
        answered = true;
        response = value;
        this.#pending.delete(id);
        resolve();
      },
    };
    this.#pending.set(id, pending);
    this.#send(pending);
    return pending;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of [...this.#sockets, ...this.#frozen]) socket.terminate();
    this.#server.close();
  }

  #connected(socket: WebSocket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("message", (data) => {
      const chunks = Array.isArray(data) ? data : [Buffer.isBuffer(data) ? data : Buffer.from(data)];
      const text = Buffer.concat(chunks).toString("utf8");
      const { envelope_id, payload } = ackSchema.parse(JSON.parse(text));
      this.#pending.get(envelope_id)?.answer(payload);
    });
    socket.send(
      JSON.stringify({ type: "hello", num_connections: this.#sockets.size, connection_info: { app_id: "A0001" } }),
    );
    const waiting = this.#onConnect;
    this.#onConnect = [];
    for (const resume of waiting) resume();
    // Deliveries that found no socket are sent as soon as one is open.
    for (const pending of this.#pending.values()) if (pending.isHeldUp) this.#send(pending);
  }

  #send(pending: Pending): void {
    if (pending.isAnswered()) return;
    if (this.#requestUrl !== null) {
      this.#sendHttp(pending, this.#requestUrl);
      return;
    }
    const socket = this.#nextSocket(pending);
    pending.isHeldUp = socket === null;
    if (socket === null) return;
    pending.sentOver = socket;
    const { id, kind, payload, attempt } = pending;
    const retry =
      attempt > 0 ? { retry_attempt: attempt, retry_reason: "timeout" } : { retry_attempt: 0, retry_reason: "" };
    const accepts_response_payload = kind !== "events_api";
    socket.send(JSON.stringify({ type: kind, envelope_id: id, payload, accepts_response_payload, ...retry }));
    this.#later(pending, this.#options.answerWithinMs);
  }

  /** Chooses the sockets in turn; an unanswered envelope is retried over another one if possible. */
  #nextSocket({ sentOver }: Pending): WebSocket | null {
    const open = [...this.#sockets].filter((each) => each.readyState === WebSocket.OPEN);
    const others = open.filter((each) => each !== sentOver);
    const [socket = null] = others.length > 0 ? others : open;
    if (socket !== null) {
      // Re-adding moves the socket to the end of the order.
      this.#sockets.delete(socket);
      this.#sockets.add(socket);
    }
    return socket;
  }

  /** Sends again after the deadline for an answer and the delay before the retry. */
  #later(pending: Pending, answerWithinMs: number): void {
    const delay = this.#options.retryDelaysMs[pending.attempt];
    pending.attempt += 1;
    if (delay === undefined) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#send(pending);
    }, answerWithinMs + delay);
    this.#timers.add(timer);
  }

  #sendHttp(pending: Pending, url: string): void {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const json = JSON.stringify(pending.payload);
    const [type, body] =
      pending.kind === "events_api"
        ? ["application/json", json]
        : ["application/x-www-form-urlencoded", formBody(pending.kind, pending.payload)];
    const signature = createHmac("sha256", this.#options.signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
    const headers = {
      "content-type": type,
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${signature}`,
      ...(pending.attempt > 0
        ? { "x-slack-retry-num": String(pending.attempt), "x-slack-retry-reason": "http_error" }
        : {}),
    };
    const ask = async () => {
      try {
        const signal = AbortSignal.timeout(this.#options.answerWithinMs);
        const response = await fetch(url, { method: "POST", headers, body, signal });
        const text = await response.text();
        if (response.ok) pending.answer(text === "" ? undefined : text);
        else this.#later(pending, 0);
      } catch {
        // A missing answer or listener leads to a retry, like a bad answer.
        this.#later(pending, 0);
      }
    };
    this.#asking = Promise.all([this.#asking, ask()]);
  }
}

function formBody(kind: Kind, payload: Readonly<Record<string, unknown>>): string {
  if (kind === "interactive") return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const fields = Object.entries(payload).map(([key, value]): [string, string] => [key, String(value)]);
  return new URLSearchParams(fields).toString();
}
