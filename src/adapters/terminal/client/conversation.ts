import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { OutgoingFile } from "../../../core/protocol/platform.ts";
import { localFile } from "../../render/local/message-body.ts";
import type { MessageBody, PageCommand, PageMessage, PageThread } from "../../render/local/wire.ts";
import type { ClientFrame, HeardFrame } from "../wire.ts";
import { openTalk, type Talk } from "./talk.ts";

export interface ConversationOptions {
  /** A connection to the program; null when there is none to be had, which has been told then. */
  readonly reach: () => Promise<Duplex | null>;
  /** A message of the thread came or changed, oldest first. */
  readonly shown: (message: PageMessage) => void;
  /** What only this terminal is told. */
  readonly told: (body: Pick<MessageBody, "markdown" | "tone">) => void;
  /** What goes on now, in a word or two; empty: nothing does. */
  readonly status: (words: string) => void;
  /** Nothing goes on any more that this terminal has asked for. `waiting`: a person has to decide. */
  readonly settled: (state: "idle" | "waiting") => void;
  /** The connection is gone, and there is no other. */
  readonly lost: () => void;
}

/** How often it is asked whether a run goes on. Milliseconds. */
const LOOK_EVERY_MS = 200;
/** A message after which nothing is heard for so long began no run. Milliseconds. */
const NO_RUN_MS = 3_000;
/** How often a connection that is let go again is tried. */
const MOST_TRIES = 50;
const TRY_AGAIN_MS = 200;
/** A program that says nothing for so long, or nothing that is understood, is of another version or hangs. Milliseconds. */
const GREETED_WITHIN_MS = 15_000;
const UNANSWERED = {
  markdown:
    "✗ The bot does not answer: its log says why, or it is of another version than this command and must be restarted.",
  tone: "error",
} as const;
/** How long words for a completion are waited for. Milliseconds. */
const COMPLETION_MS = 1_000;

/** The terminal's side of a thread. What is not acknowledged when the connection breaks is sent again on the next one. */
export class Conversation {
  readonly #options: ConversationOptions;
  #talk: Talk | null = null;
  #isLeaving = false;
  threads: readonly PageThread[] = [];
  commands: readonly Pick<PageCommand, "name">[] = [];
  #threadId: string | null = null;
  readonly #unsent = new Map<string, readonly ClientFrame[]>();
  readonly #completing = new Map<string, (words: readonly { text: string; label: string }[]) => void>();
  #watching: NodeJS.Timeout | null = null;
  #sentAt = 0;
  #lastSent: string | null = null;
  #hasHeard = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  get threadId(): string | null {
    return this.#threadId;
  }

  /** The id of the newest message of this terminal. */
  get lastSent(): string | null {
    return this.#lastSent;
  }

  /** Resolves once the program has said what there is; false when it cannot be reached. */
  async connect(): Promise<boolean> {
    for (let tries = 0; tries < MOST_TRIES && !this.#isLeaving; tries += 1) {
      const stream = await this.#options.reach();
      if (stream === null) return false;
      const greeted = await this.#greet(stream);
      if (greeted === "welcome") return true;
      if (greeted === "silent") break;
      // A program that is just ending takes connections and lets them go.
      await sleep(TRY_AGAIN_MS);
    }
    if (!this.#isLeaving) this.#options.told(UNANSWERED);
    return false;
  }

  async #greet(stream: Duplex): Promise<"welcome" | "let go" | "silent"> {
    const { promise: greeted, resolve } = Promise.withResolvers<"welcome" | "let go" | "silent">();
    const late = setTimeout(() => {
      talk.close();
      resolve("silent");
    }, GREETED_WITHIN_MS);
    let isWelcome = false;
    const talk = openTalk(stream, {
      hear: (frame) => {
        this.#hear(frame);
        isWelcome ||= frame.type === "welcome";
        if (isWelcome) resolve("welcome");
      },
      lost: () => {
        this.#talk = null;
        resolve("let go");
        if (isWelcome && !this.#isLeaving) this.#comeBack().catch(() => this.#options.lost());
      },
    });
    this.#talk = talk;
    talk.say({ type: "hello", seq: null });
    return greeted.finally(() => clearTimeout(late));
  }

  async #comeBack(): Promise<void> {
    if (!(await this.connect())) {
      if (!this.#isLeaving) this.#options.lost();
      return;
    }
    if (this.#threadId !== null) this.open(this.#threadId);
    for (const frames of this.#unsent.values()) for (const frame of frames) this.#talk?.say(frame);
  }

  /** What is sent next goes there. */
  goOnIn(threadId: string): void {
    this.#threadId = threadId;
  }

  /** Goes on in a thread: its messages are shown, and what goes on in it. */
  open(threadId: string): void {
    this.#threadId = threadId;
    this.#talk?.say({ type: "open", threadId, before: null });
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
    // A message to a new thread is called like the thread: what is typed next goes there, too.
    this.#threadId ??= clientId;
    this.#say(clientId, frames);
    this.watch();
  }

  press(messageId: string, action: string): void {
    const clickId = randomUUID();
    this.#say(clickId, [{ type: "click", clickId, messageId, action }]);
    this.watch();
  }

  /** Stops the run of the thread. */
  stop(): void {
    const clickId = randomUUID();
    if (this.#threadId === null) return;
    this.#say(clickId, [{ type: "command", clickId, threadId: this.#threadId, name: "stop", args: "" }]);
    this.watch();
  }

  /** What could stand at the end of the line; nothing where nobody answers in time. */
  complete(text: string, withinMs = COMPLETION_MS): Promise<readonly { text: string; label: string }[]> {
    const { promise, resolve } = Promise.withResolvers<readonly { text: string; label: string }[]>();
    this.#completing.set(text, resolve);
    this.#talk?.say({ type: "complete", threadId: this.#threadId, text });
    setTimeout(() => resolve([]), withinMs).unref();
    return promise;
  }

  leave(): void {
    this.#isLeaving = true;
    this.#unwatch();
    this.#talk?.close();
    this.#talk = null;
  }

  #say(id: string, frames: readonly ClientFrame[]): void {
    this.#unsent.set(id, frames);
    for (const frame of frames) this.#talk?.say(frame);
  }

  #hear(frame: HeardFrame): void {
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
        this.#hasHeard = true;
        return this.#options.told(frame.body);
      case "failed":
        this.#unsent.delete(frame.id);
        this.#hasHeard = true;
        return this.#options.told({ markdown: `✗ ${frame.reason}`, tone: "error" });
      case "rejected":
        this.#hasHeard = true;
        return this.#options.told({ markdown: `✗ ${frame.reason}`, tone: "error" });
      case "completions":
        this.#completing.get(frame.text)?.(frame.words);
        this.#completing.delete(frame.text);
        return;
      case "status":
        if (frame.threadId === this.#threadId) this.#options.status(frame.words);
        return;
      case "state":
        if (frame.threadId === this.#threadId) this.#stands(frame.state);
        return;
    }
  }

  #show(message: PageMessage): void {
    if (message.threadId !== this.#threadId) return;
    if (message.body.by !== "person") this.#hasHeard = true;
    this.#options.shown(message);
  }

  /** Asks again and again whether a run goes on, until none does. */
  watch(): void {
    this.#sentAt = performance.now();
    this.#hasHeard = false;
    this.#watching ??= setInterval(() => {
      const { threadId } = this;
      if (threadId !== null && this.#unsent.size === 0) this.#talk?.say({ type: "look", threadId });
    }, LOOK_EVERY_MS);
  }

  #unwatch(): void {
    if (this.#watching !== null) clearInterval(this.#watching);
    this.#watching = null;
  }

  #stands(state: "working" | "waiting" | null): void {
    if (this.#watching === null || this.#unsent.size > 0 || state === "working") return;
    if (state === "waiting") return this.#options.settled("waiting");
    if (!this.#hasHeard && performance.now() - this.#sentAt < NO_RUN_MS) return;
    this.#unwatch();
    this.#options.settled("idle");
  }
}
