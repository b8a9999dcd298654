import { randomUUID } from "node:crypto";
import { localFile } from "../../../src/adapters/render/local/message-body.ts";
import type { PageMessage } from "../../../src/adapters/render/local/wire.ts";
import { createTerminalPlatform, type TerminalPlatform } from "../../../src/adapters/terminal/adapter.ts";
import { terminalLines } from "../../../src/adapters/terminal/format.ts";
import { socketPath } from "../../../src/adapters/terminal/socket.ts";
import type { ClientFrame } from "../../../src/adapters/terminal/wire.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { KeyedMutex } from "../../../src/core/keyed-mutex.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import type {
  Noise,
  PersonName,
  PlatformHarness,
  Said,
  SayOptions,
  VisibleMessage,
} from "../../contracts/platform-harness.ts";
import { CountingLog } from "../../support/counting-log.ts";
import { FaultyThreadStore } from "../../support/database/faulty-thread-store.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { TerminalClient } from "./terminal-client.ts";

type SaidFrame = Extract<ClientFrame, { type: "send" | "click" }>;

interface Opened {
  readonly terminal: TerminalClient;
  readonly platform: TerminalPlatform | undefined;
}

/** Ana and Bob are two terminals; to Deckhand, everybody who may read the home is one person. */
export class TerminalHarness implements PlatformHarness {
  readonly home = tempDirectory();
  readonly #store = new FaultyThreadStore();
  readonly #log = new CountingLog();
  readonly #platforms: TerminalPlatform[] = [];
  readonly #terminals = new Map<PersonName, Opened>();
  readonly #said = new Map<string, { readonly as: PersonName; readonly frame: SaidFrame }>();
  readonly platform = this.another();
  readonly noise = this.#noise();

  another(): TerminalPlatform {
    const cluster = onlyProcess({ ...systemRuntime(), log: this.#log });
    const options = { home: this.home, store: this.#store, writes: new KeyedMutex(), commands: CHAT_COMMANDS };
    const platform = createTerminalPlatform({ ...systemRuntime(), ...options, log: this.#log });
    platform.provide({ summaries: { busyThreads: () => Promise.resolve(new Map()) }, cluster });
    this.#platforms.push(platform);
    return platform;
  }

  async mention(text: string, options: SayOptions = {}): Promise<Said> {
    return this.#write(null, text, options);
  }

  async reply(thread: ThreadRef, text: string, options: SayOptions = {}): Promise<Said> {
    return this.#write(thread.threadId, text, options);
  }

  async mentionIn(thread: ThreadRef, text: string, options: SayOptions = {}): Promise<Said> {
    return this.#write(thread.threadId, text, options);
  }

  async click(posted: { readonly messageId: string }, action: string, as: PersonName = "ana"): Promise<Said> {
    return this.#deliver(as, { type: "click", clickId: randomUUID(), messageId: posted.messageId, action });
  }

  async redeliver(said: Said): Promise<void> {
    const delivery = this.#said.get(said.messageId);
    if (delivery === undefined) throw new Error("nothing like this was said");
    await (await this.#deliver(delivery.as, delivery.frame)).answered;
  }

  personId(): string {
    return "terminal:local";
  }

  async visible(thread: ThreadRef): Promise<readonly VisibleMessage[]> {
    const messages = await (await this.#terminal("ana")).thread(thread.threadId ?? "");
    return Promise.all(messages.filter(({ body }) => body.by !== "note").map((message) => this.#visible(message)));
  }

  async ephemeralsTo(person: PersonName): Promise<readonly string[]> {
    const terminal = await this.#terminal(person);
    const replies = terminal.frames.flatMap((frame) => (frame.type === "reply" ? [frame.body.markdown] : []));
    if (person === "bob") return replies;
    const threads = await this.#store.threads(100);
    const messages = await Promise.all(threads.map(({ id }) => terminal.thread(id)));
    return [...messages.flat().flatMap(({ body }) => (body.by === "note" ? [body.markdown] : [])), ...replies];
  }

  warnings(): number {
    return this.#log.warnings;
  }

  loseNextPostResponse(): void {
    this.#store.nextPost = "loses_response";
  }

  failNextPost(): void {
    this.#store.nextPost = "fails";
  }

  /** Does nothing: a terminal has no rate limit, so its requests never get a 429. */
  rateLimitNext(): void {}

  deleteThread(thread: ThreadRef): void {
    this.#store.deleteThread(thread.threadId ?? "");
  }

  async dropConnection(): Promise<void> {
    for (const { terminal } of this.#terminals.values()) terminal.drop();
    this.#terminals.clear();
    await this.#terminal("ana");
  }

  openConnections(): number {
    return [...this.#terminals.values()].filter(({ terminal }) => terminal.isOpen).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const platform of this.#platforms) await platform.stop();
  }

  async #write(threadId: string | null, text: string, { as = "ana", file }: SayOptions): Promise<Said> {
    const terminal = await this.#terminal(as);
    const fileIds: string[] = [];
    if (file !== undefined) {
      const data = Buffer.from(file.data).toString("base64");
      terminal.say({ type: "file", name: file.name, mediaType: file.mediaType, data });
      fileIds.push(localFile(file).id);
    }
    const said = await this.#deliver(as, { type: "send", clientId: randomUUID(), threadId, text, fileIds });
    await terminal.next("message", ({ message }) => message.id === said.messageId);
    return said;
  }

  async #deliver(as: PersonName, frame: SaidFrame): Promise<Said> {
    const terminal = await this.#terminal(as);
    const messageId = frame.type === "send" ? frame.clientId : frame.clickId;
    this.#said.set(messageId, { as, frame });
    let isAnswered = false;
    const heard = terminal.frames.length;
    const answerTo = async (): Promise<void> => {
      await terminal.answerTo(messageId, heard);
      isAnswered = true;
    };
    const answered = answerTo();
    terminal.say(frame);
    return { messageId, isAnswered: () => isAnswered, answered };
  }

  /** The person's terminal at the running platform, opened if necessary. */
  async #terminal(person: PersonName): Promise<TerminalClient> {
    const running = this.#platforms.find((platform) => platform.health().connected);
    const known = this.#terminals.get(person);
    if (known?.terminal.isOpen === true && known.platform === running) return known.terminal;
    const terminal = await TerminalClient.open(socketPath(this.home));
    this.#terminals.set(person, { terminal, platform: running });
    return terminal;
  }

  #noise(): readonly Noise[] {
    const raw = (name: string, data: string | Uint8Array): Noise => ({
      name,
      logged: true,
      deliver: async () => (await this.#terminal("ana")).sayRaw(data),
    });
    const refused = (name: string, frame: (thread: ThreadRef) => SaidFrame): Noise => ({
      name,
      logged: false,
      deliver: async (thread) => (await this.#terminal("ana")).say(frame(thread)),
    });
    const send = { type: "send" as const, fileIds: [] };
    return [
      raw("a line that is no JSON", "{\n"),
      raw("a frame of an unknown type", '{"type":"join","channel":"ops"}\n'),
      raw("bytes that are no text", Uint8Array.of(1, 255, 254, 10)),
      raw("a file whose bytes are no base64", '{"type":"file","name":"a","mediaType":"b","data":"§"}\n'),
      refused("an empty message", ({ threadId }) => ({ ...send, clientId: randomUUID(), threadId, text: " \n" })),
      refused("a message to no thread", () => ({ ...send, clientId: randomUUID(), threadId: "nowhere", text: "hi" })),
      refused("a click on nothing", () => ({ type: "click", clickId: randomUUID(), messageId: "none", action: "x" })),
    ];
  }

  async #visible({ id, body }: PageMessage): Promise<VisibleMessage> {
    const style = { width: 1_000_000, hasColour: false };
    const files = body.files.map(async ({ id: fileId, name }) => {
      return { name, data: (await this.#store.file(fileId))?.data ?? new Uint8Array() };
    });
    return {
      messageId: id,
      by: body.by === "person" ? "ana" : "bot",
      text: [...terminalLines(body.markdown, style), ...terminalLines(body.footer ?? "", style)].join("\n"),
      buttons: body.buttons.map((button) => ({ id: button.id, label: button.label })),
      files: await Promise.all(files),
      // A terminal notifies nobody and fetches no address.
      pings: [],
      previews: [],
      reactions: body.signs,
    };
  }
}
