import type { WebSocket } from "@fastify/websocket";
import type { ChatCommand } from "../../core/command-line/command.ts";
import type { KeyedMutex } from "../../core/keyed-mutex.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { ChatPlatform, Receive } from "../../core/protocol/platform.ts";
import type { Clock, Ids } from "../../core/protocol/runtime.ts";
import { pageCommands } from "../render/local/commands.ts";
import { createLocalThreads, type LocalThreads } from "../render/local/local-threads.ts";
import { Outbox } from "../render/local/outbox.ts";
import type { LocalThreadStore } from "../render/local/thread-store.ts";
import { WEB } from "./descriptor.ts";
import { notLoopback, weakToken } from "./errors.ts";
import { WEB_PLACE } from "./inbound.ts";
import type { OverviewSource } from "./live/overview.ts";
import { createPageSession } from "./live/page-session.ts";
import { entryLink, entryLinks } from "./server/entry-links.ts";
import type { FeatureRoutes } from "./server/feature-routes.ts";
import { isLoopback } from "./server/guard.ts";
import { PAGE_DIRECTORY } from "./server/page-directory.ts";
import { type Probes, startWebServer, type WebServer } from "./server/server.ts";
import type { ServerFrame } from "./wire.ts";

export interface WebPlatformOptions {
  /** A loopback name or address. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Letters, digits, - and _. Keep it over restarts, so that open pages come back by themselves. */
  readonly token: string;
  readonly store: LocalThreadStore;
  /** One write at a time of all platforms that keep their threads in the store. */
  readonly writes: KeyedMutex;
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
  /** The page's address with a link for one entry, another one each time; null before `listen`. */
  entryUrl(): string | null;
  /** From now on the page has something to show beside its threads: it is served before that is put together. */
  provide(provided: OverviewSource & { readonly routes: FeatureRoutes }): void;
}

interface Parts extends Pick<LocalThreads, "feed" | "poster"> {
  readonly options: WebPlatformOptions;
}

/** The web page as a platform: a server on loopback, and threads in a store. */
export function createWebPlatform(options: WebPlatformOptions): WebPlatform {
  if (!isLoopback(options.host)) {
    throw notLoopback(options.host);
  }
  if (!/^[\w-]{16,}$/.test(options.token)) {
    throw weakToken();
  }
  const threads = createLocalThreads({ ...options, place: WEB_PLACE });
  return { descriptor: WEB, ...connection({ options, ...threads }), ...threads.posting, ...threads.reading };
}

/** Serves one page over its socket. */
function pageJoiner({ options, feed, poster }: Parts, overview: Promise<OverviewSource>) {
  const commands = pageCommands(options.commands);
  return (socket: WebSocket, receive: Receive): void => {
    const page = new Outbox<ServerFrame>(socket);
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
      links: entryLinks(options.token, () => options.clock.now()),
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
    entryUrl: () => (server === null ? null : webLink(options, options.clock.now(), server.port)),
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

/** The page's address with a link for one entry within ten minutes. */
export function webLink(
  { host, token }: Pick<WebPlatformOptions, "host" | "token">,
  now: number,
  port: number,
): string {
  return `${urlOf(host, port)}?token=${entryLink(token, now)}`;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}/`;
}
