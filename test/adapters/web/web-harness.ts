import { randomUUID } from "node:crypto";
import type { PageMessage } from "../../../src/adapters/render/local/wire.ts";
import type { WebPlatform } from "../../../src/adapters/web/adapter.ts";
import { renderMarkdown } from "../../../src/adapters/web/page/text/markdown.ts";
import type { ClientFrame } from "../../../src/adapters/web/wire.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
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
import { PageClient } from "./page-client.ts";
import { entryUrl, openPlatform } from "./web-setup.ts";

type SentFrame = Extract<ClientFrame, { type: "send" | "click" }>;

/** Ana and Bob are two open pages; to Deckhand, everybody who holds the token is one person. */
export class WebHarness implements PlatformHarness {
  readonly #store = new FaultyThreadStore();
  readonly #log = new CountingLog();
  readonly #platforms: WebPlatform[] = [];
  readonly #pages = new Map<PersonName, PageClient>();
  readonly #said = new Map<string, { readonly as: PersonName; readonly frame: SentFrame }>();
  readonly platform = this.another();
  readonly noise = this.#noise();

  another(): WebPlatform {
    const platform = openPlatform({ store: this.#store, log: this.#log });
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
    return "web:local";
  }

  async visible(thread: ThreadRef): Promise<readonly VisibleMessage[]> {
    const page = await this.#page("ana");
    const messages = (await page.thread(thread.threadId ?? "")) ?? [];
    return Promise.all(messages.filter(({ body }) => body.by !== "note").map((message) => visible(page, message)));
  }

  /** Notes in a thread count as Ana's, who speaks by default; a click's answer goes to the page that clicked. */
  async ephemeralsTo(person: PersonName): Promise<readonly string[]> {
    const page = await this.#page(person);
    const replies = page.frames.flatMap((frame) => (frame.type === "reply" ? [frame.body.markdown] : []));
    if (person === "bob") return replies;
    const threads = await Promise.all((await page.threads()).map(({ id }) => page.thread(id)));
    const notes = threads.flatMap((messages) => messages ?? []).filter(({ body }) => body.by === "note");
    return [...notes.map(({ body }) => body.markdown), ...replies];
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

  /** Does nothing: the page has no rate limit, so its requests never get a 429. */
  rateLimitNext(): void {}

  deleteThread(thread: ThreadRef): void {
    this.#store.deleteThread(thread.threadId ?? "");
  }

  async dropConnection(): Promise<void> {
    for (const page of this.#pages.values()) await page.drop();
    await this.#page("ana");
  }

  openConnections(): number {
    return [...this.#pages.values()].filter((page) => page.isOpen).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const platform of this.#platforms) await platform.stop();
  }

  async #write(threadId: string | null, text: string, { as = "ana", file }: SayOptions): Promise<Said> {
    const page = await this.#page(as);
    const files = file === undefined ? [] : [await page.upload(file.name, file.mediaType, new Uint8Array(file.data))];
    const fileIds = files.map(({ id }) => id);
    const said = await this.#deliver(as, { type: "send", clientId: randomUUID(), threadId, text, fileIds });
    await page.next("message", ({ message }) => message.id === said.messageId);
    return said;
  }

  async #deliver(as: PersonName, frame: SentFrame): Promise<Said> {
    const page = await this.#page(as);
    const messageId = frame.type === "send" ? frame.clientId : frame.clickId;
    this.#said.set(messageId, { as, frame });
    let isAnswered = false;
    const waitForAnswer = async (): Promise<void> => {
      await page.answerTo(messageId);
      isAnswered = true;
    };
    const answered = waitForAnswer();
    page.say(frame);
    return { messageId, isAnswered: () => isAnswered, answered };
  }

  /** The person's page on the running platform, opened if necessary. */
  async #page(person: PersonName): Promise<PageClient> {
    const running = this.#platforms.find((platform) => platform.entryUrl() !== null);
    if (running === undefined) throw new Error("no platform runs");
    const known = this.#pages.get(person);
    const url = entryUrl(running);
    if (known?.isOpen === true && url.startsWith(known.origin)) return known;
    const page = await PageClient.open(url);
    await page.hello();
    this.#pages.set(person, page);
    return page;
  }

  #noise(): readonly Noise[] {
    const raw = (name: string, data: string | Uint8Array): Noise => ({
      name,
      logged: true,
      deliver: async () => {
        (await this.#page("ana")).sayRaw(data);
      },
    });
    const refused = (name: string, frame: (thread: ThreadRef) => SentFrame): Noise => ({
      name,
      logged: false,
      deliver: async (thread) => {
        (await this.#page("ana")).say(frame(thread));
      },
    });
    const send = { type: "send" as const, fileIds: [] };
    return [
      raw("text that is no JSON", "{"),
      raw("a frame of an unknown type", '{"type":"join","channel":"ops"}'),
      raw("a binary frame", new Uint8Array([1, 2, 3])),
      raw("a message without a usable id", '{"type":"send","clientId":"1","threadId":null,"text":"x","fileIds":[]}'),
      refused("an empty message", ({ threadId }) => ({ ...send, clientId: randomUUID(), threadId, text: " \n" })),
      refused("a message to no thread", () => ({ ...send, clientId: randomUUID(), threadId: "nowhere", text: "hi" })),
      refused("a click on nothing", () => ({ type: "click", clickId: randomUUID(), messageId: "none", action: "x" })),
    ];
  }
}

async function visible(page: PageClient, message: PageMessage): Promise<VisibleMessage> {
  const { body } = message;
  const html = `${renderMarkdown(body.markdown)}${renderMarkdown(body.footer ?? "")}`;
  return {
    messageId: message.id,
    by: body.by === "person" ? "ana" : "bot",
    text: [body.markdown, body.footer ?? ""].join("\n"),
    buttons: body.buttons.map(({ id, label }) => ({ id, label })),
    files: await Promise.all(
      body.files.map(async ({ id, name }) => ({ name, data: await (await page.fetch(`/files/${id}`)).bytes() })),
    ),
    // A page's text notifies nobody. Whatever a browser would fetch by itself has a source attribute.
    pings: [],
    previews: [...html.matchAll(/\s(?:src|srcset|background)="([^"]*)"/gu)].map((match) => match[1] ?? ""),
    reactions: body.signs,
  };
}
