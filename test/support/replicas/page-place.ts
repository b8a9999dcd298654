import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { PageMessage } from "../../../src/adapters/render/local/wire.ts";
import { entryLink } from "../../../src/adapters/web/server/entry-links.ts";
import type { ClientFrame } from "../../../src/adapters/web/wire.ts";
import { PageClient } from "../../adapters/web/page-client.ts";
import { until } from "../program/bot.ts";
import type { Fleet } from "./fleet.ts";
import type { Place, Shown, Thread } from "./place.ts";

/** Delay before a page retries when no replica accepts it, in milliseconds. */
const AGAIN_MS = 200;

/** Limit in milliseconds for a message to be accepted while all replicas are killed again and again. */
const TAKEN_MS = 300_000;

/** People on the page, whose tabs are connected to different replicas and move to the next when theirs is gone. */
export interface PagePlace extends Place, AsyncDisposable {
  /** Opens a separate page. */
  open(): Promise<PageClient>;
}

export function pagePlace(fleet: Fleet): PagePlace {
  const tabs = fleet.replicas.map((_, first) => new Tab(fleet, first));
  const threadIds: string[] = [];
  const open = () => connected(fleet, { first: 0, seq: null, signal: AbortSignal.timeout(TAKEN_MS) });
  return {
    name: "page",
    async begin(words, number) {
      const tab = tabs[number % tabs.length];
      if (tab === undefined) throw new Error("there is no page");
      const threadId = await tab.send(words, null);
      threadIds.push(threadId);
      const thread: Thread = {
        folder: "web-main",
        isOpen: () => true,
        async say(text) {
          await tab.send(text, threadId);
        },
        byBot: () => tab.messages(threadId).flatMap(shownOf),
        click: (message, action) => tab.click(message.id, action),
      };
      return thread;
    },
    open,
    /** Read again from a live replica, independently of the open tabs. */
    async all() {
      const client = await open();
      const found: Shown[] = [];
      for (const id of threadIds) found.push(...((await client.thread(id)) ?? []).flatMap(shownOf));
      await client.drop();
      return found;
    },
    rateLimited: () => [],
    async [Symbol.asyncDispose]() {
      await Promise.all(tabs.map((tab) => tab.close()));
    },
  };
}

function shownOf({ id, body }: PageMessage): Shown[] {
  return body.by === "deckhand" ? [{ id, text: body.markdown, buttons: body.buttons }] : [];
}

interface Entering {
  /** Number of the replica to try first. */
  readonly first: number;
  /** The highest change number that the page has seen. */
  readonly seq: number | null;
  readonly signal: AbortSignal;
}

/** Opens the page on the first replica that accepts it, starting from `first`, with the home's key. */
async function connected(fleet: Fleet, { first, seq, signal }: Entering): Promise<PageClient> {
  for (let attempt = first; ; attempt += 1) {
    signal.throwIfAborted();
    const { bot } = fleet.replicas[attempt % fleet.replicas.length] ?? {};
    try {
      const token = readFileSync(path.join(fleet.home, "data/web-token"), "utf8").trim();
      const client = await PageClient.open(`http://127.0.0.1:${bot?.port}/?token=${entryLink(token, Date.now())}`);
      await client.hello(seq);
      return client;
    } catch {
      // The replica is gone or not up yet, so try the next one.
    }
    await pause(AGAIN_MS);
  }
}

/** A page that stays open: it reconnects, resends what was not accepted, and shows what it receives. */
class Tab {
  readonly #fleet: Fleet;
  readonly #messages = new Map<string, Map<string, PageMessage>>();
  readonly #sent = new Map<string, string>();
  readonly #living: Promise<void>;
  #client: PageClient | null = null;
  #read = 0;
  /** The highest change number that it has seen. */
  #seq: number | null = null;
  #next: number;
  readonly #closing = new AbortController();

  constructor(fleet: Fleet, first: number) {
    this.#fleet = fleet;
    this.#next = first;
    this.#living = this.#live();
  }

  messages(threadId: string): readonly PageMessage[] {
    this.#take();
    return [...(this.#messages.get(threadId)?.values() ?? [])].toSorted((a, b) => a.position - b.position);
  }

  /** Resolves with the thread once the message is durable. */
  async send(text: string, threadId: string | null): Promise<string> {
    const clientId = randomUUID();
    const frame: ClientFrame = { type: "send", clientId, threadId, text, fileIds: [] };
    let saidTo: PageClient | null = null;
    await until(
      () => {
        this.#take();
        if (this.#client !== saidTo && this.#client?.isOpen === true) {
          saidTo = this.#client;
          saidTo.say(frame);
        }
        return this.#sent.has(clientId);
      },
      { limit: AbortSignal.timeout(TAKEN_MS), what: () => "the page's message to be taken" },
    );
    return this.#sent.get(clientId) ?? "";
  }

  click(messageId: string, action: string): void {
    if (this.#client?.isOpen === true) this.#client.say({ type: "click", clickId: randomUUID(), messageId, action });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#living.catch(() => undefined); // it was connecting to a replica
    if (this.#client?.isOpen === true) await this.#client.drop();
  }

  async #live(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      if (this.#client?.isOpen !== true) await this.#connect();
      await pause(AGAIN_MS);
    }
  }

  /** Connects to the next replica, and reports what it has seen. */
  async #connect(): Promise<void> {
    this.#take();
    const client = await connected(this.#fleet, { first: this.#next, seq: this.#seq, signal: this.#closing.signal });
    this.#next += 1;
    this.#read = 0;
    this.#client = client;
  }

  #take(): void {
    const frames = this.#client?.frames ?? [];
    for (; this.#read < frames.length; this.#read += 1) {
      const frame = frames[this.#read];
      if (frame?.type === "message") this.#show(frame.message);
      if (frame?.type === "welcome") this.#catchUp(frame);
      if (frame?.type === "thread") for (const message of frame.messages ?? []) this.#show(message);
      if (frame?.type === "sent") {
        this.#sent.set(frame.clientId, frame.threadId);
        if (!this.#messages.has(frame.threadId)) this.#messages.set(frame.threadId, new Map());
      }
    }
  }

  #catchUp({ seq, changes }: { readonly seq: number; readonly changes: readonly PageMessage[] | null }): void {
    for (const message of changes ?? []) this.#show(message);
    if (changes === null && this.#seq !== null) {
      for (const threadId of this.#messages.keys()) this.#client?.say({ type: "open", threadId, before: null });
    }
    this.#seq = Math.max(this.#seq ?? 0, seq);
  }

  #show(message: PageMessage): void {
    this.#seq = Math.max(this.#seq ?? 0, message.seq);
    const thread = this.#messages.get(message.threadId) ?? new Map<string, PageMessage>();
    this.#messages.set(message.threadId, thread);
    const known = thread.get(message.id);
    if (known === undefined || known.seq <= message.seq) thread.set(message.id, message);
  }
}
