import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { OutgoingFile } from "../../../core/platform/outgoing.ts";
import { localFile } from "../../render/local/message-body.ts";
import type { MessageBody, PageCommand, PageMessage, PageThread } from "../../render/local/wire.ts";
import type { ClientFrame, ParsedServerFrame } from "../wire.ts";
import { openProgramConnection, type ProgramConnection } from "./program-connection.ts";

export interface ConversationOptions {
  /** Connects to the program; null if that is impossible, which has then been reported. */
  readonly openStream: () => Promise<Duplex | null>;
  /** Called for each new or changed message of the thread, oldest first. */
  readonly onMessage: (message: PageMessage) => void;
  /** Called with a message for this terminal alone. */
  readonly onPrivateMessage: (message: PrivateMessage) => void;
  /** Called with the current activity, in a word or two; empty if there is none. */
  readonly onStatus: (words: string) => void;
  /** Called when nothing requested by this terminal is still running. `waiting`: a person has to decide. */
  readonly onIdle: (state: "idle" | "waiting") => void;
  /** Called when the connection is lost and no other can be made. */
  readonly onLost: () => void;
}

export type PrivateMessage = Pick<MessageBody, "markdown" | "tone"> & Partial<Pick<MessageBody, "files">>;

/** Interval of asking whether a run is active. In milliseconds. */
const POLL_MS = 200;
/** If nothing happens for this long after a message, it started no run. In milliseconds. */
const NO_RUN_MS = 3_000;
/** Maximum number of connection attempts while the program closes each one again. */
const MAX_ATTEMPTS = 50;
const RETRY_MS = 200;
/** A program silent or unintelligible for this long is of another version, or hangs. In milliseconds. */
const GREETING_TIMEOUT_MS = 15_000;
const UNANSWERED = {
  markdown: "✗ The bot is not responding. Its log may say why; if its version differs from this command's, restart it.",
  tone: "error",
} as const;
/** How long to wait for completions. In milliseconds. */
const COMPLETION_MS = 1_000;
/** How long to wait for a file. In milliseconds. */
const FILE_MS = 60_000;

/** The terminal's side of a thread. After a lost connection, it sends again whatever was not acknowledged. */
export class Conversation {
  readonly #options: ConversationOptions;
  #connection: ProgramConnection | null = null;
  #isLeaving = false;
  threads: readonly PageThread[] = [];
  commands: readonly Pick<PageCommand, "name">[] = [];
  #threadId: string | null = null;
  readonly #unsent = new Map<string, readonly ClientFrame[]>();
  readonly #completing = new Map<string, (words: readonly { text: string; label: string }[]) => void>();
  readonly #fetching = new Map<string, PromiseWithResolvers<Uint8Array | null>>();
  #pollTimer: NodeJS.Timeout | null = null;
  #sentAt = 0;
  #lastSent: string | null = null;
  #hasReceived = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  get threadId(): string | null {
    return this.#threadId;
  }

  /** Id of the newest message sent by this terminal. */
  get lastSent(): string | null {
    return this.#lastSent;
  }

  /** Resolves once the program has greeted; false if it cannot be reached. */
  async connect(): Promise<boolean> {
    for (let tries = 0; tries < MAX_ATTEMPTS && !this.#isLeaving; tries += 1) {
      const stream = await this.#options.openStream();
      if (stream === null) return false;
      const greeted = await this.#greet(stream);
      if (greeted === "welcome") return true;
      if (greeted === "silent") break;
      // A program that is shutting down accepts connections and closes them again.
      await sleep(RETRY_MS);
    }
    if (!this.#isLeaving) this.#options.onPrivateMessage(UNANSWERED);
    return false;
  }

  async #greet(stream: Duplex): Promise<"welcome" | "let go" | "silent"> {
    const { promise: greeted, resolve } = Promise.withResolvers<"welcome" | "let go" | "silent">();
    const late = setTimeout(() => {
      connection.close();
      resolve("silent");
    }, GREETING_TIMEOUT_MS);
    let isWelcome = false;
    const connection = openProgramConnection(stream, {
      onFrame: (frame) => {
        this.#onFrame(frame);
        isWelcome ||= frame.type === "welcome";
        if (isWelcome) resolve("welcome");
      },
      onLost: () => {
        this.#connection = null;
        resolve("let go");
        if (isWelcome && !this.#isLeaving) this.#reconnect().catch(() => this.#options.onLost());
      },
    });
    this.#connection = connection;
    connection.send({ type: "hello", seq: null });
    return greeted.finally(() => clearTimeout(late));
  }

  async #reconnect(): Promise<void> {
    if (!(await this.connect())) {
      if (!this.#isLeaving) this.#options.onLost();
      return;
    }
    if (this.#threadId !== null) this.open(this.#threadId);
    for (const frames of this.#unsent.values()) for (const frame of frames) this.#connection?.send(frame);
  }

  /** Makes the next message go to this thread. */
  continueThread(threadId: string): void {
    this.#threadId = threadId;
  }

  /** Continues a thread: shows its messages and follows its activity. */
  open(threadId: string): void {
    this.#threadId = threadId;
    this.#connection?.send({ type: "open", threadId, before: null });
  }

  send(text: string, files: readonly OutgoingFile[] = []): void {
    const clientId = randomUUID();
    const kept = files.map((file) => ({ ...file, id: localFile(file).id }));
    const frames: ClientFrame[] = [
      ...kept.map(({ name, mediaType, data }) => {
        return { type: "file" as const, name, mediaType, data: Buffer.from(data).toString("base64") };
      }),
      { type: "send", clientId, threadId: this.#threadId, text, fileIds: kept.map(({ id }) => id) },
    ];
    this.#lastSent = clientId;
    // A new thread has the id of its first message, so the next message goes there, too.
    this.#threadId ??= clientId;
    this.#sendTracked(clientId, frames);
    this.watch();
  }

  click(messageId: string, action: string): void {
    const clickId = randomUUID();
    this.#sendTracked(clickId, [{ type: "click", clickId, messageId, action }]);
    this.watch();
  }

  stop(): void {
    const clickId = randomUUID();
    if (this.#threadId === null) return;
    this.#sendTracked(clickId, [{ type: "command", clickId, threadId: this.#threadId, name: "stop", args: "" }]);
    this.watch();
  }

  /** Completions for the end of the line; empty if there is no answer in time. */
  complete(text: string, withinMs = COMPLETION_MS): Promise<readonly { text: string; label: string }[]> {
    const { promise, resolve } = Promise.withResolvers<readonly { text: string; label: string }[]>();
    this.#completing.set(text, resolve);
    this.#connection?.send({ type: "complete", threadId: this.#threadId, text });
    setTimeout(() => resolve([]), withinMs).unref();
    return promise;
  }

  /** The content of a message's file; null if there is none, or it does not arrive in time. */
  file(fileId: string, withinMs = FILE_MS): Promise<Uint8Array | null> {
    const known = this.#fetching.get(fileId);
    if (known !== undefined) return known.promise;
    const fetching = Promise.withResolvers<Uint8Array | null>();
    this.#fetching.set(fileId, fetching);
    this.#sendTracked(fileId, [{ type: "fetch", fileId }]);
    setTimeout(() => this.#arrived(fileId, null), withinMs).unref();
    return fetching.promise;
  }

  #arrived(fileId: string, data: Uint8Array | null): void {
    this.#unsent.delete(fileId);
    this.#fetching.get(fileId)?.resolve(data);
    this.#fetching.delete(fileId);
  }

  leave(): void {
    this.#isLeaving = true;
    this.#unwatch();
    this.#connection?.close();
    this.#connection = null;
  }

  #sendTracked(id: string, frames: readonly ClientFrame[]): void {
    this.#unsent.set(id, frames);
    for (const frame of frames) this.#connection?.send(frame);
  }

  #onFrame(frame: ParsedServerFrame): void {
    switch (frame.type) {
      case "welcome":
        this.threads = frame.threads;
        this.commands = frame.commands;
        return;
      case "thread":
        for (const message of frame.messages ?? []) this.#show(message);
        this.watch();
        return;
      case "message":
        this.#show(frame.message);
        return;
      case "sent":
      case "clicked":
        this.#unsent.delete(frame.type === "sent" ? frame.clientId : frame.clickId);
        return;
      case "reply":
        this.#unsent.delete(frame.clickId);
        this.#hasReceived = true;
        return this.#options.onPrivateMessage(frame.body);
      case "failed":
        this.#unsent.delete(frame.id);
        this.#hasReceived = true;
        return this.#options.onPrivateMessage({ markdown: `✗ ${frame.reason}`, tone: "error" });
      case "rejected":
        this.#hasReceived = true;
        return this.#options.onPrivateMessage({ markdown: `✗ ${frame.reason}`, tone: "error" });
      case "completions":
        this.#completing.get(frame.text)?.(frame.words);
        this.#completing.delete(frame.text);
        return;
      case "content":
        return this.#arrived(frame.fileId, frame.data === null ? null : Buffer.from(frame.data, "base64"));
      case "status":
        if (frame.threadId === this.#threadId) this.#options.onStatus(frame.words);
        return;
      case "state":
        if (frame.threadId === this.#threadId) this.#onState(frame.state);
        return;
    }
  }

  #show(message: PageMessage): void {
    if (message.threadId !== this.#threadId) return;
    if (message.body.by !== "person") this.#hasReceived = true;
    this.#options.onMessage(message);
  }

  /** Asks repeatedly whether a run is active, until none is. */
  watch(): void {
    this.#sentAt = performance.now();
    this.#hasReceived = false;
    this.#pollTimer ??= setInterval(() => {
      const { threadId } = this;
      if (threadId !== null && this.#unsent.size === 0) this.#connection?.send({ type: "look", threadId });
    }, POLL_MS);
  }

  #unwatch(): void {
    if (this.#pollTimer !== null) clearInterval(this.#pollTimer);
    this.#pollTimer = null;
  }

  #onState(state: "working" | "waiting" | null): void {
    if (this.#pollTimer === null || this.#unsent.size > 0 || state === "working") return;
    if (state === "waiting") return this.#options.onIdle("waiting");
    if (!this.#hasReceived && performance.now() - this.#sentAt < NO_RUN_MS) return;
    this.#unwatch();
    this.#options.onIdle("idle");
  }
}
