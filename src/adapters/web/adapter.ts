import type { WebSocket } from "@fastify/websocket";
import type { ChatCommand } from "../../core/command-line/command.ts";
import { ConfigError, PlatformError } from "../../core/protocol/errors.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { ChatPlatform, Receive, ThreadMessage, ThreadRef } from "../../core/protocol/platform.ts";
import type { Clock, Ids } from "../../core/protocol/runtime.ts";
import { WEB } from "./descriptor.ts";
import { storeError, threadGone } from "./errors.ts";
import { bodyOf, formatMessage } from "./format.ts";
import { inboundMessage, PERSON_ID, threadRef } from "./inbound.ts";
import { MISSED_MESSAGES } from "./limits.ts";
import { Outbox } from "./live/outbox.ts";
import { type OverviewSource, pageCommands } from "./live/overview.ts";
import { createPageSession } from "./live/page-session.ts";
import type { FeatureRoutes } from "./server/feature-routes.ts";
import { isLoopback } from "./server/guard.ts";
import { PAGE_DIRECTORY } from "./server/page-directory.ts";
import { type Probes, startWebServer, type WebServer } from "./server/server.ts";
import { createFeed, type Feed } from "./threads/feed.ts";
import { createPoster, type Poster } from "./threads/poster.ts";
import type { WebMessage, WebThreadStore } from "./threads/thread-store.ts";
import type { MessageBody } from "./wire.ts";

export interface WebPlatformOptions {
  /** A loopback name or address. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Letters, digits, - and _. Keep it over restarts, so that open pages come back by themselves. */
  readonly token: string;
  readonly store: WebThreadStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly probes: Probes;
  /** What people may type after a slash. */
  readonly commands: readonly ChatCommand[];
  /** Where the built page is; default: build/web. */
  readonly pageDirectory?: string;
}

export interface WebPlatform extends ChatPlatform {
  /**
   * Opens the port for the probes alone: a process that stands by answers them, too. `start` does it
   * when it has not been done. Rejects with ConfigError when the port cannot be had.
   */
  listen(): Promise<void>;
  /** The page's address with its token, to be printed at start; null before `listen`. */
  entryUrl(): string | null;
  /** From now on the page has something to show beside its threads: it is served before that is put together. */
  provide(provided: OverviewSource & { readonly routes: FeatureRoutes }): void;
}

interface Parts {
  readonly options: WebPlatformOptions;
  readonly feed: Feed;
  readonly poster: Poster;
}

/** The web page as a platform: a server on loopback, and threads in a store. */
export function createWebPlatform(options: WebPlatformOptions): WebPlatform {
  if (!isLoopback(options.host)) {
    throw new ConfigError([
      `HOST is ${options.host}, but the web page listens on loopback only. Set HOST to 127.0.0.1.`,
    ]);
  }
  if (!/^[\w-]{16,}$/.test(options.token)) {
    throw new ConfigError(["The web page's token must be 16 or more letters, digits, - or _."]);
  }
  const feed = createFeed(options.store);
  const parts: Parts = { options, feed, poster: createPoster({ ...options, feed }) };
  return { descriptor: WEB, ...connection(parts), ...posting(parts), ...reading(parts) };
}

/** Serves one page over its socket. */
function pageJoiner({ options, feed, poster }: Parts, overview: Promise<OverviewSource>) {
  const commands = pageCommands(options.commands);
  return (socket: WebSocket, receive: Receive): void => {
    const page = new Outbox(socket);
    const shared = { ...options, commands, chatCommands: options.commands, overview };
    const take = createPageSession({ ...shared, page, feed, poster, receive });
    socket.on("message", (data, isBinary) => take(!isBinary && Buffer.isBuffer(data) ? data.toString() : ""));
    socket.on("close", () => feed.leave(page));
  };
}

type Connection = Pick<WebPlatform, "listen" | "entryUrl" | "provide" | "start" | "stop" | "health">;

function connection({ options, feed, poster }: Parts): Connection {
  const overview = Promise.withResolvers<OverviewSource>();
  const joinPage = pageJoiner({ options, feed, poster }, overview.promise);
  let routes: FeatureRoutes = new Map();
  let server: WebServer | null = null;
  let receiver: Receive | null = null;

  const connected = (socket: WebSocket): void => {
    if (receiver === null) {
      socket.close(1013, "standing by");
      return;
    }
    joinPage(socket, receiver);
  };
  const listen = async (): Promise<void> => {
    server ??= await startWebServer({
      ...options,
      pageDirectory: options.pageDirectory ?? PAGE_DIRECTORY,
      isOpen: () => receiver !== null,
      connected,
      routes: () => routes,
    });
  };

  return {
    listen,
    provide: (source) => {
      overview.resolve(source);
      routes = source.routes;
      for (const panel of source.panels) panel.watch(() => feed.tell({ type: "changed" }));
    },
    entryUrl: () => (server === null ? null : `${urlOf(options.host, server.port)}?token=${options.token}`),
    start: async (receive, signal) => {
      signal.throwIfAborted();
      await listen();
      receiver = receive;
    },
    stop: async () => {
      receiver = null;
      feed.closeAll();
      const closing = server;
      server = null;
      await closing?.close();
    },
    health: () => {
      if (server === null) return { connected: false, detail: "the web page is not served" };
      if (receiver === null) return { connected: false, detail: "the web page stands by" };
      return { connected: true, detail: `the web page is at ${urlOf(options.host, server.port)}` };
    },
  };
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}/`;
}

type Posting = Pick<ChatPlatform, "post" | "edit" | "react" | "upload" | "whisper">;

function posting({ options, feed, poster }: Parts): Posting {
  return {
    post: async (thread, message, key) =>
      posted(await poster.post({ threadId: thread.threadId, message, key, by: "deckhand" })),
    edit: async ({ messageId }, message) => {
      await poster.putFiles(message);
      const edited = await feed.update(messageId, () => formatMessage(message, "deckhand"));
      if (edited === null) throw threadGone(`of message ${messageId}`);
    },
    react: async (thread, messageId, sign) => {
      const marked = await feed.update(messageId, (message) => withSign(bodyOf(message), sign));
      if (marked === null) throw threadGone(thread.threadId ?? "");
    },
    upload: async (thread, file, key) => {
      const message = { lane: "answer", markdown: "", tone: "plain", buttons: [], files: [file] } as const;
      return posted(await poster.post({ threadId: thread.threadId, message, key, by: "deckhand" }));
    },
    whisper: async (thread, _personId, message) => {
      await poster.post({ threadId: thread.threadId, message, key: options.ids.next("whisper"), by: "note" });
    },
  };
}

function withSign(body: MessageBody, sign: MessageBody["signs"][number]): MessageBody {
  return body.signs.includes(sign) ? body : { ...body, signs: [...body.signs, sign] };
}

type Reading = Pick<ChatPlatform, "find" | "fetchFile" | "fetchThread" | "missed">;

function reading({ options }: Parts): Reading {
  const { store } = options;
  return {
    find: async (_thread, key) => {
      const message = await fromStore(store.messageByKey(key));
      return message === null ? null : posted(message);
    },
    fetchFile: async (attachment, maxBytes, signal) => {
      signal.throwIfAborted();
      const file = await fromStore(store.file(attachment.ref));
      if (file === null) throw unreadable(attachment.name, "it is no longer stored");
      if (file.data.byteLength > maxBytes) throw unreadable(attachment.name, `it is larger than ${maxBytes} bytes`);
      return file.data;
    },
    fetchThread: async (thread, limit, signal) => {
      signal.throwIfAborted();
      return fetchThread(store, thread, limit);
    },
    missed: async (since, signal) => {
      signal.throwIfAborted();
      // Stored before it is received: a message in between when the process died is still here.
      return (await fromStore(store.fromPeople(since, MISSED_MESSAGES))).map(inboundMessage);
    },
  };
}

/** The thread is named after its root, which comes first however long the thread is. */
async function fetchThread(store: WebThreadStore, { threadId }: ThreadRef, limit: number): Promise<ThreadMessage[]> {
  if (threadId === null) return [];
  const newest = await fromStore(store.messages(threadId, null, limit));
  if (newest === null) throw threadGone(threadId);
  const root = newest.some((message) => message.id === threadId) ? null : await fromStore(store.message(threadId));
  const shown = root === null ? newest : [root, ...newest.slice(1)];
  return shown.flatMap((message) => {
    const body = bodyOf(message);
    return body.by === "note" ? [] : [threadMessage(message, body.markdown)];
  });
}

function threadMessage(message: WebMessage, text: string): ThreadMessage {
  const author = message.fromPerson
    ? { id: PERSON_ID, name: "operator", isBot: false }
    : { id: "web:deckhand", name: "Deckhand", isBot: true };
  return { messageId: message.id, author, text, at: message.at };
}

function posted(message: WebMessage): { platform: "web"; channelId: string; messageId: string } {
  return { platform: "web", channelId: threadRef(null).channelId, messageId: message.id };
}

function unreadable(name: string, reason: string): PlatformError {
  return new PlatformError("attachment_unreadable", `attachment ${name}: ${reason}`, { detail: { name, reason } });
}

async function fromStore<T>(asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    throw storeError(error);
  });
}
