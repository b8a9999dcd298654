import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";

const MESSAGE_CONTENT = 1 << 15;
const frameSchema = z.object({ op: z.number(), d: z.unknown() });
const identifySchema = z.object({ token: z.string(), intents: z.number() });
const resumeSchema = z.object({ token: z.string(), session_id: z.string(), seq: z.number().nullable() });

/** Optional intents for events that a bot can do without. Source: Discord docs, Gateway Intents. */
const REACTIONS = { guild: 1 << 10, direct: 1 << 13 };

function intentOf(t: string, d: unknown): number {
  if (t !== "MESSAGE_REACTION_ADD") return 0;
  return typeof d === "object" && d !== null && "guild_id" in d ? REACTIONS.guild : REACTIONS.direct;
}

interface Session {
  readonly id: string;
  readonly intents: number;
  /** All dispatched events by sequence number from 1, for replay on RESUME. */
  readonly sent: { readonly t: string; readonly d: unknown }[];
  socket: WebSocket | null;
}

export interface GatewayOptions {
  readonly token: () => string;
  readonly heartbeatMs: number;
  /** The developer portal's switch for the MESSAGE CONTENT intent. */
  readonly messageContent: () => boolean;
  readonly url: () => string;
  /** Minimum milliseconds between sessions, as in Discord's `max_concurrency` of 1. No limit if omitted. */
  readonly identifyEveryMs?: number | undefined;
  /** The payload of READY, and the events that follow it. */
  readonly ready: () => { readonly d: object; readonly after: readonly { readonly t: string; readonly d: unknown }[] };
}

/** Discord's gateway: HELLO, IDENTIFY, READY, heartbeats, RESUME with replay, close codes. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #sockets = new Set<WebSocket>();
  #watchers: (() => void)[] = [];
  #nextSession = 1;
  #identifiedAt = Number.NEGATIVE_INFINITY;
  /** If set, connections are accepted but nothing is sent on them. */
  mute = false;
  /** How often each event happened. */
  readonly counts = { identify: 0, refused: 0, resume: 0, heartbeat: 0, replayed: 0, pong: 0 };

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (ws) => this.#opened(ws));
  }

  /** Intents of each session. */
  get intents(): number[] {
    return [...this.#sessions.values()].map((session) => session.intents);
  }

  /** Sends an event to every session. Disconnected ones receive it when they resume. */
  dispatch(t: string, d: unknown): void {
    for (const session of this.#sessions.values()) {
      if ((session.intents & intentOf(t, d)) === intentOf(t, d)) this.#send(session, t, d);
    }
  }

  /** Closes all connections without a close code; sessions stay resumable. */
  drop(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Asks all clients to reconnect and resume, as Discord does when it moves them. */
  askToReconnect(): void {
    for (const socket of this.#sockets) socket.send(JSON.stringify({ op: 7, d: null }));
  }

  closeAll(code: number): void {
    for (const socket of this.#sockets) socket.close(code);
  }

  /** Makes RESUME fail from now on for the existing sessions. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  /** Resolves when the condition holds after an event at the gateway. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#watchers.push(resolve);
      });
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.terminate();
    this.#server.close();
  }

  #opened(socket: WebSocket): void {
    this.#sockets.add(socket);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      for (const session of this.#sessions.values()) if (session.socket === socket) session.socket = null;
      this.#changed();
    });
    socket.on("message", (data: Buffer) => this.#frame(socket, data.toString()));
    this.#changed();
    if (this.mute) {
      // The pong shows that the client also considers the connection open.
      socket.on("pong", () => {
        this.counts.pong += 1;
        this.#changed();
      });
      socket.ping();
      return;
    }
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: this.#options.heartbeatMs } }));
  }

  #frame(socket: WebSocket, text: string): void {
    const { op, d } = frameSchema.parse(JSON.parse(text));
    if (op === 1) {
      this.counts.heartbeat += 1;
      socket.send(JSON.stringify({ op: 11 }));
    } else if (op === 2) this.#identify(socket, identifySchema.parse(d));
    else if (op === 6) this.#resume(socket, resumeSchema.parse(d));
    this.#changed();
  }

  #identify(socket: WebSocket, { token, intents }: z.infer<typeof identifySchema>): void {
    if (token !== this.#options.token()) {
      socket.close(4004, "Authentication failed.");
      return;
    }
    if ((intents & MESSAGE_CONTENT) !== 0 && !this.#options.messageContent()) {
      socket.close(4014, "Disallowed intent(s).");
      return;
    }
    const { identifyEveryMs = 0 } = this.#options;
    if (performance.now() - this.#identifiedAt < identifyEveryMs) {
      this.counts.refused += 1;
      socket.send(JSON.stringify({ op: 9, d: false }));
      return;
    }
    this.#identifiedAt = performance.now();
    this.counts.identify += 1;
    const session: Session = { id: `session-${this.#nextSession++}`, intents, sent: [], socket };
    this.#sessions.set(session.id, session);
    const ready = this.#options.ready();
    this.#send(session, "READY", { ...ready.d, session_id: session.id, resume_gateway_url: this.#options.url() });
    for (const { t, d } of ready.after) this.#send(session, t, d);
  }

  #resume(socket: WebSocket, { token, session_id, seq }: z.infer<typeof resumeSchema>): void {
    const session = this.#sessions.get(session_id);
    if (token !== this.#options.token()) {
      socket.close(4004, "Authentication failed.");
      return;
    }
    if (session === undefined || seq === null || seq > session.sent.length) {
      socket.send(JSON.stringify({ op: 9, d: false }));
      return;
    }
    this.counts.resume += 1;
    this.counts.replayed += session.sent.length - seq;
    for (const [index, event] of session.sent.entries()) {
      if (index >= seq) socket.send(JSON.stringify({ op: 0, s: index + 1, ...event }));
    }
    session.socket = socket;
    this.#send(session, "RESUMED", {});
  }

  #send(session: Session, t: string, d: unknown): void {
    session.sent.push({ t, d });
    session.socket?.send(JSON.stringify({ op: 0, s: session.sent.length, t, d }));
  }

  #changed(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const wake of watchers) wake();
  }
}
