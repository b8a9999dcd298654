import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { WebSocket } from "ws";
import {
  type PageFile,
  type PageMessage,
  type PageThread,
  pageFileSchema,
} from "../../../src/adapters/render/local/wire.ts";
import { type ClientFrame, type ServerFrame } from "../../../src/adapters/web/wire.ts";

/** Does what a browser does with the page: enters with the token, keeps the cookie and opens the socket. */
export class PageClient {
  readonly frames: ServerFrame[] = [];
  readonly origin: string;
  readonly cookie: string;
  readonly #socket: WebSocket;
  #wake: (() => void)[] = [];

  private constructor(origin: string, cookie: string, socket: WebSocket) {
    this.origin = origin;
    this.cookie = cookie;
    this.#socket = socket;
    socket.on("message", (data) => {
      // Frames are not validated, since the server is the program under test: assertions look at their content.
      this.frames.push(JSON.parse(Buffer.isBuffer(data) ? data.toString() : "null"));
      this.#notify();
    });
    socket.on("close", () => this.#notify());
  }

  static async open(entryUrl: string): Promise<PageClient> {
    const { origin } = new URL(entryUrl);
    const entered = await fetch(entryUrl, { redirect: "manual" });
    const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
    const socket = new WebSocket(`${origin.replace("http", "ws")}/live`, { headers: { cookie, origin } });
    const client = new PageClient(origin, cookie, socket);
    await once(socket, "open");
    return client;
  }

  async pinged(): Promise<void> {
    await once(this.#socket, "ping");
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  say(frame: ClientFrame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  sayRaw(data: string | Uint8Array): void {
    this.#socket.send(data);
  }

  /** Sends hello and resolves to the welcome. */
  async hello(seq: number | null = null): Promise<Extract<ServerFrame, { type: "welcome" }>> {
    const seen = this.frames.length;
    this.say({ type: "hello", seq });
    return this.next("welcome", () => true, seen);
  }

  /** Sends a message and resolves once the server has taken it. */
  async send(text: string, threadId: string | null = null, clientId: string = randomUUID()): Promise<string> {
    const seen = this.frames.length;
    this.say({ type: "send", clientId, threadId, text, fileIds: [] });
    await this.next("sent", (frame) => frame.clientId === clientId, seen);
    return clientId;
  }

  async thread(threadId: string): Promise<readonly PageMessage[] | null> {
    const seen = this.frames.length;
    this.say({ type: "open", threadId, before: null });
    return (await this.next("thread", (frame) => frame.threadId === threadId, seen)).messages;
  }

  async threads(): Promise<readonly PageThread[]> {
    return (await this.hello()).threads;
  }

  async upload(name: string, type: string, data: Uint8Array<ArrayBuffer>): Promise<PageFile> {
    const response = await this.fetch(`/files?${new URLSearchParams({ name, type }).toString()}`, {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: data,
    });
    return pageFileSchema.parse(await response.json());
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie: this.cookie, origin: this.origin, ...Object.fromEntries(new Headers(init.headers)) };
    return fetch(`${this.origin}${path}`, { ...init, headers });
  }

  /** The first frame of this type that fits, from index `from` on; waits for it if necessary. */
  async next<T extends ServerFrame["type"]>(
    type: T,
    fits: (frame: Extract<ServerFrame, { type: T }>) => boolean = () => true,
    from = 0,
  ): Promise<Extract<ServerFrame, { type: T }>> {
    const isOne = (frame: ServerFrame): frame is Extract<ServerFrame, { type: T }> => frame.type === type;
    for (;;) {
      const found = this.frames.slice(from).filter(isOne).find(fits);
      if (found !== undefined) return found;
      if (this.#socket.readyState >= WebSocket.CLOSING) throw new Error(`closed before a ${type} frame came`);
      await this.#news();
    }
  }

  /** Resolves to the server's answer to a message or click that is about to be sent. */
  async answerTo(id: string): Promise<ServerFrame> {
    const isAnswer = (frame: ServerFrame): boolean =>
      (frame.type === "sent" && frame.clientId === id) ||
      ((frame.type === "clicked" || frame.type === "reply") && frame.clickId === id) ||
      (frame.type === "failed" && frame.id === id);
    let from = this.frames.length;
    for (;;) {
      const found = this.frames.slice(from).find(isAnswer);
      if (found !== undefined) return found;
      from = this.frames.length;
      await this.#news();
    }
  }

  /** Cuts the connection without a closing handshake. */
  async drop(): Promise<void> {
    const closed = once(this.#socket, "close");
    this.#socket.terminate();
    await closed;
  }

  /** Resolves to the code that the socket was closed with. */
  async closed(): Promise<number> {
    const [code] = await once(this.#socket, "close");
    return Number(code);
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake.push(resolve);
    });
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resume of wake) resume();
  }
}
