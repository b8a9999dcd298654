import type { WebSocket } from "@fastify/websocket";
import { z } from "zod";
import type { Cluster } from "../../core/cluster.ts";
import type { ChatCommand } from "../../core/command-line/command.ts";
import type { KeyedMutex } from "../../core/keyed-mutex.ts";
import type { ChatPlatform } from "../../core/platform/chat-platform.ts";
import type { Receive } from "../../core/platform/inbound.ts";
import type { Clock, Ids } from "../../core/protocol/runtime.ts";

import type { LocalChannel } from "../render/local/local-channel.ts";
import { createLocalThreads, type LocalThreads } from "../render/local/local-threads.ts";
import { Outbox } from "../render/local/outbox.ts";
import { WEB } from "./descriptor.ts";
import { weakToken } from "./errors.ts";
import { webPlace } from "./inbound.ts";
import { type AccountPages, type Admit, createAccountPages } from "./live/account-pages.ts";
import type { OverviewSource } from "./live/overview.ts";
import { createPageSession, type OpenPage } from "./live/page-session.ts";
import { visibleTo } from "./live/visible-frame.ts";
import { viewerNow, waitingSessions, watchSessions } from "./live/watched-sessions.ts";
import type { Principal } from "./server/access-control.ts";
import { entryLink, entryLinks } from "./server/entry-links.ts";
import type { FeatureRoutes } from "./server/feature-routes.ts";
import type { Logins } from "./server/logins.ts";
import { createPageAddress, type PageAddress, type PagePlace } from "./server/page-address.ts";
import { PAGE_DIRECTORY } from "./server/page-directory.ts";
import { startWebServer, type WebServer, type WebServerOptions } from "./server/server.ts";
import { changeToken, isSame, nonce, proofFor } from "./server/signatures.ts";
import type { TeamSessions } from "./sessions/team-sessions.ts";
import type { ServerFrame } from "./wire.ts";

type ServerParts = Pick<WebServerOptions, "trustProxy" | "port" | "store" | "log" | "probes" | "arrivalMs" | "pingMs">;

export interface WebPlatformOptions extends PagePlace, ServerParts {
  /** Letters, digits, `-` and `_`. It must survive restarts, so that open pages can reconnect. */
  readonly token: string;
  /** Serialises the writes of all platforms that keep their threads in the store. */
  readonly writes: KeyedMutex;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Whether other processes serve the same page; false if omitted. */
  readonly isReplica?: boolean;
  readonly commands: readonly ChatCommand[];
  /** Directory of the built page; build/web by default. */
  readonly pageDirectory?: string;
}

export interface WebPlatform extends ChatPlatform {
  /**
   * Opens the port for the probes alone, so that a process on standby answers them as well. `start` calls it if needed.
   * Rejects with ConfigError if the port is not available.
   */
  listen(): Promise<void>;
  /** The page's address with a new single-use entry link; null before `listen`. */
  entryUrl(): string | null;
  /** Supplies what the page shows beside its threads: after `listen`, and before `start`. */
  provide(provided: Provided): void;
}

export interface Provided extends OverviewSource {
  readonly routes: FeatureRoutes;
  /** Null if the page shows only its own threads. */
  readonly sessions: TeamSessions | null;
  /** Null if nobody can sign in. */
  readonly logins: Logins | null;
  /** Calls back with each thread that is deleted (`isWhole`), or some messages of it. */
  readonly onThreadErased: (listener: (threadId: string, isWhole: boolean) => void) => void;
  /** The processes that serve the page. */
  readonly cluster: Cluster;
}

interface Parts extends Pick<LocalThreads, "feed" | "poster"> {
  readonly options: WebPlatformOptions;
  readonly address: PageAddress;
  readonly place: LocalChannel;
  /** The argument of `provide`; null before that call. */
  readonly given: { provided: Provided | null };
}

/** The web page as a platform: a server with threads in a store. */
export function createWebPlatform(options: WebPlatformOptions): WebPlatform {
  if (!/^[\w-]{16,}$/.test(options.token)) {
    throw weakToken();
  }
  const address = createPageAddress(options);
  const place = webPlace(address);
  const given: Parts["given"] = { provided: null };
  const personOf = async (id: string) => (await given.provided?.logins?.personOf(id)) ?? null;
  const threads = createLocalThreads({ ...options, place, personOf });
  const connected = connection({ options, address, place, given, ...threads });
  return { descriptor: WEB, ...connected, ...threads.posting, ...threads.reading };
}

interface JoinScope extends Parts {
  readonly accounts: AccountPages;
}

/** What there is once the platform has started. */
interface Started {
  readonly provided: Provided;
  readonly receive: Receive;
}

/** Serves one page over its socket. */
function pageJoiner({ options, place, feed, poster, accounts }: JoinScope) {
  const admission = (principal: Principal, page: OpenPage): Admit => {
    if (principal.kind === "operator") return () => Promise.resolve({ type: "as", place });
    const { token, account } = principal;
    return accounts.admit(token, account, ({ name, role, person }) =>
      page.push({ type: "you", name, role, personId: person.id, changeToken: changeToken(token) }),
    );
  };
  return (socket: WebSocket, principal: Principal, { provided, receive }: Started): void => {
    const outbox = new Outbox<ServerFrame>(socket);
    const page = principal.kind === "operator" ? outbox : pageOf(principal.account.person.id, outbox);
    const token = principal.kind === "operator" ? null : principal.token;
    const looking = {
      sessions: provided.sessions,
      viewer: () => viewerNow(principal, provided.logins),
    };
    const watching = watchSessions({ ...looking, page });
    const take = createPageSession({
      ...options,
      overview: provided,
      waiting: () => waitingSessions(looking),
      page,
      feed,
      poster,
      receive,
      admit: admission(principal, page),
      watch: watching.watch,
      signedOut: () => (token === null ? undefined : accounts.close(token)),
    });
    if (token !== null) accounts.join(token, page);
    socket.on("message", (data, isBinary) => take(!isBinary && Buffer.isBuffer(data) ? data.toString() : ""));
    socket.on("close", () => {
      feed.leave(page);
      watching.end();
      if (token !== null) accounts.leave(token, page);
    });
  };
}

/** Wraps a page so that its person does not receive notes meant for others. */
function pageOf(personId: string, outbox: Outbox<ServerFrame>): OpenPage {
  return {
    push: (frame) => {
      const seen = visibleTo(personId, frame);
      if (seen !== null) outbox.push(seen);
    },
    close: (code, reason) => outbox.close(code, reason),
  };
}

type Connection = Pick<WebPlatform, "listen" | "entryUrl" | "provide" | "start" | "stop" | "health">;

function connection(parts: Parts): Connection {
  const { options, address, place, feed, given } = parts;
  const logins = () => given.provided?.logins ?? null;
  const accounts = createAccountPages(logins, place, options.clock);
  const joinPage = pageJoiner({ ...parts, accounts });
  let server: WebServer | null = null;
  let receiver: Receive | null = null;

  const connected = (socket: WebSocket, principal: Principal): void => {
    const { provided } = given;
    if (receiver === null || provided === null) socket.close(1013, "standing by");
    else joinPage(socket, principal, { provided, receive: receiver });
  };
  const listen = async (): Promise<void> => {
    server ??= await startWebServer({
      ...options,
      address,
      links: entryLinks(options.token, () => options.clock.now(), options.isReplica),
      pageDirectory: options.pageDirectory ?? PAGE_DIRECTORY,
      isOpen: () => receiver !== null,
      logins,
      connected,
      signedOut: (token) => accounts.close(token),
      routes: () => given.provided?.routes ?? new Map(),
      sessions: () => given.provided?.sessions ?? null,
    });
  };

  return {
    listen,
    provide: (source) => {
      given.provided = source;
      feed.share({ ...options, cluster: source.cluster });
      source.cluster.subscribe("logins", () => accounts.recheck());
      announceChanges(source, feed);
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
      if (receiver === null) return { connected: false, detail: "the web page is standing by" };
      return { connected: true, detail: `the web page is at ${urlOf(options, server.port)}` };
    },
  };
}

/** Sends the pages what features change beside the messages. */
function announceChanges({ onThreadErased, panels }: Provided, feed: LocalThreads["feed"]): void {
  onThreadErased((threadId, isWhole) => {
    if (isWhole) feed.broadcast({ type: "thread", threadId, before: null, messages: null, more: false });
    else feed.broadcast({ type: "erased", threadId });
  });
  for (const panel of panels) panel.watch(() => feed.broadcast({ type: "changed" }));
}

/** Whether the server at the page's port holds this token. */
export async function answersFor(token: string, { host, port }: { host: string; port: number }): Promise<boolean> {
  const question = nonce();
  try {
    const address = new URL(`/healthz?ask=${question}`, urlOf({ host, url: null }, port));
    const response = await fetch(address, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS), redirect: "error" });
    const { proof } = PROVEN.parse(await response.json());
    return isSame(proof, proofFor(token, question));
  } catch {
    return false; // it is another program
  }
}

const PROVEN = z.object({ proof: z.string() });
/** Milliseconds. */
const ANSWERS_WITHIN_MS = 2_000;

/** The page's address with an entry link that works once within ten minutes. */
export function webLink(place: Pick<WebPlatformOptions, "host" | "url" | "token">, now: number, port: number): string {
  return `${urlOf(place, port)}?token=${entryLink(place.token, now)}`;
}

/** Whether the page is reachable from other machines, so that everybody must sign in. */
export function isShared(place: PagePlace): boolean {
  return createPageAddress(place).isShared;
}

/**
 * Loopback address to print for a wildcard host, since the reader sits at this machine. Listening on `::` includes
 * IPv4, and many machines have no `::1`, such as most containers.
 */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "127.0.0.1" };

function urlOf({ host, url }: PagePlace, port: number): string {
  if (url !== null) return new URL("/", url).href;
  const bare = host.includes(":") ? `[${host}]` : host;
  return `http://${EVERY_ADDRESS[host] ?? bare}:${port}/`;
}
