import type {
  Client,
  ClientOptions,
  GatewayDispatchEvents,
  Guild,
  WebSocketManager,
  WebSocketOptions,
} from "discord.js";
import type { Cluster } from "../../core/cluster.ts";
import type { PlatformHealth } from "../../core/platform/chat-platform.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { SharedRates } from "../../core/shared-rates.ts";
import { unlessAborted } from "../../core/unless-aborted.ts";
import { waitAtMost } from "../../core/wait-at-most.ts";
import { gatewayRefusal, loginError } from "./errors.ts";
import { withDefaultRetryAfter } from "./gateway/default-retry-after.ts";
import { holdShard } from "./gateway/hold-shard.ts";
import { sharedRequests } from "./gateway/shared-requests.ts";
import { SharedShard } from "./gateway/shared-shard.ts";
import { LONGEST_PACING_MS, REQUEST_TIMEOUT_MS, REQUESTS_PER_SECOND } from "./limits.ts";

/** How long login waits for the servers' descriptions, which spare requests for names. In milliseconds. */
const GUILDS_TIMEOUT_MS = 3_000;
/** discord.js never finishes closing a connection that still waits for the gateway's hello. In milliseconds. */
const CLOSE_PATIENCE_MS = 1_000;

export interface ConnectionOptions {
  readonly token: string;
  /** Root URL of the REST API without version. */
  readonly apiUrl: string | undefined;
  /** The processes that share the gateway's events; if omitted, this process receives all of them. */
  readonly cluster: Pick<Cluster, "hold" | "gatewaySessions" | "size"> | undefined;
  /** Resolves once everything received so far is stored. */
  readonly settled: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts the requests of all processes of this bot. */
  readonly rates?: SharedRates | null | undefined;
  /** Handlers, called with the gateway's events in order. */
  readonly on: Readonly<
    Record<"message" | "edit" | "deletion" | "interaction" | "reaction" | "threadDelete", (data: unknown) => void>
  > & {
    /** The bot was added to a server. */
    readonly guild: (guild: Guild) => void;
    /** This process receives the gateway's events from now on. */
    readonly connected: () => void;
  };
}

export interface Connection {
  readonly client: Client<true>;
  /** Brings the client's data about a server up to date. */
  refresh(guildId: string): Promise<void>;
  health(): PlatformHealth;
  close(): Promise<void>;
}

interface State {
  health: PlatformHealth;
  /** Set permanently once Discord will never accept this client. */
  refusal: Error | null;
  closed: boolean;
  /** Null if this process has the gateway to itself. */
  shard: SharedShard | null;
}

/**
 * Logs in and waits until the gateway is ready. Rejects with `platform_auth` or `missing_scope` if that can never
 * succeed, with another PlatformError if a retry may help, and with the signal's reason on abort. discord.js is loaded
 * here, so that it costs nothing without a Discord token.
 */
export async function openConnection(options: ConnectionOptions, signal: AbortSignal): Promise<Connection> {
  signal.throwIfAborted();
  const discord = await import("discord.js");
  const state: State = {
    health: { connected: false, detail: "connecting" },
    refusal: null,
    closed: false,
    shard: null,
  };
  const client: Client = new discord.Client(clientOptions(discord, options, { state, client: () => client }));
  watch(client, state, options);
  listen({ ws: client.ws, names: discord.GatewayDispatchEvents }, options.on, state);
  client.on("guildCreate", (guild) => {
    if (!state.closed && state.shard?.health().receivingSince !== null) options.on.guild(guild);
  });
  let leave: () => Promise<void> = () => Promise.resolve();
  const close = async () => {
    await leave();
    await closeClient(client, state, options.clock);
  };
  try {
    const ready = await unlessAborted(logIn(client, options.token), signal);
    const { shard } = state;
    const { cluster, clock } = options;
    const { connected } = options.on;
    if (shard === null || cluster === undefined) connected();
    else {
      const sharing = holdShard({ shard, cluster, clock, connected });
      ({ leave } = sharing);
      await unlessAborted(sharing.begun, signal);
    }
    const health = () => (state.refusal === null ? (shard?.health() ?? state.health) : state.health);
    return { client: ready, refresh: async (guildId) => shard?.refresh(guildId), health, close };
  } catch (error) {
    await close();
    signal.throwIfAborted();
    throw state.refusal ?? loginError(error, options.clock.now());
  }
}

async function logIn(client: Client, token: string): Promise<Client<true>> {
  const ready = new Promise<Client<true>>((resolve) => {
    client.once("clientReady", resolve);
  });
  await client.login(token);
  return ready;
}

function clientOptions(
  discord: typeof import("discord.js"),
  { apiUrl, log, clock, cluster, settled, rates }: ConnectionOptions,
  { state, client }: { readonly state: State; readonly client: () => Client },
): ClientOptions {
  const makeRequest = withDefaultRetryAfter(discord.DefaultRestOptions.makeRequest);
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = discord.GatewayIntentBits;
  const { GuildMessageReactions, DirectMessageReactions } = discord.GatewayIntentBits;
  return {
    intents: [Guilds, GuildMessages, GuildMessageReactions, DirectMessages, DirectMessageReactions, MessageContent],
    allowedMentions: { parse: [], repliedUser: false },
    waitGuildTimeout: GUILDS_TIMEOUT_MS,
    ws: {
      buildStrategy: (manager) => {
        guardHandlers(manager, log);
        preventReconnect(manager, state);
        const plain = new discord.SimpleShardingStrategy(manager);
        if (cluster === undefined) return plain;
        const keepOnly = (ids: ReadonlySet<string>) => client().guilds.cache.sweep(({ id }) => !ids.has(id));
        const { rest } = client();
        state.shard = new SharedShard({ manager, plain, rest, cluster, settled, keepOnly, clock, log });
        return state.shard;
      },
    },
    makeCache: discord.Options.cacheWithLimits(cacheLimits()),
    rest: {
      ...(apiUrl === undefined ? {} : { api: apiUrl.replace(/(?<!\/)\/+$/u, "") }),
      timeout: REQUEST_TIMEOUT_MS,
      globalRequestsPerSecond: REQUESTS_PER_SECOND,
      // Safe for posts, too: because of their nonce, Discord answers a repetition with the first message.
      retries: 1,
      makeRequest: rates == null ? makeRequest : sharedRequests(makeRequest, rates, clock),
      rejectOnRateLimit: (limit) => limit.retryAfter > LONGEST_PACING_MS,
    },
  };
}

type GatewayManager = Parameters<NonNullable<WebSocketOptions["buildStrategy"]>>[0];

/**
 * Contains exceptions in discord.js' event handlers. They handle events before validation, and what they throw would
 * become an unhandled rejection and end the process.
 */
function guardHandlers(manager: GatewayManager, log: Log): void {
  const emit = manager.emit.bind(manager);
  const value = (...event: Parameters<typeof emit>): boolean => {
    try {
      return emit(...event);
    } catch (error) {
      log.warn({ err: error, event: event[0] }, "discord.event_malformed");
      return true;
    }
  };
  Object.defineProperty(manager, "emit", { value });
}

/**
 * Keeps the connection closed. If it is stopped while connecting, discord.js connects once more; each connection first
 * asks for the session to resume, and after closing, that request never resolves.
 */
function preventReconnect(manager: GatewayManager, state: State): void {
  const { options } = manager;
  const retrieve = options.retrieveSessionInfo.bind(options);
  options.retrieveSessionInfo = (shardId) => (state.closed ? new Promise(() => undefined) : retrieve(shardId));
}

/** Limits the cache to servers, channels, threads and roles, which give names to ids. */
function cacheLimits() {
  const onlyOurselves = {
    maxSize: 0,
    keepOverLimit: (someone: { readonly id: string; readonly client: Client<true> }) =>
      someone.id === someone.client.user.id,
  };
  return {
    GuildMemberManager: onlyOurselves,
    UserManager: onlyOurselves,
    MessageManager: 0,
    ThreadMemberManager: 0,
    ReactionManager: 0,
    PresenceManager: 0,
    GuildEmojiManager: 0,
    GuildStickerManager: 0,
    GuildScheduledEventManager: 0,
    StageInstanceManager: 0,
    VoiceStateManager: 0,
  };
}

function watch(client: Client, state: State, { clock, log }: Pick<ConnectionOptions, "clock" | "log">): void {
  let receivingSince = 0;
  const connected = () => {
    state.health = { connected: true, detail: "connected", receivingSince };
  };
  // A new session has no events from before it.
  const begun = () => {
    receivingSince = clock.now();
    connected();
  };
  client.on("clientReady", connected);
  client.on("shardReady", begun);
  client.on("shardResume", (_shard, replayed) => {
    connected();
    log.info({ replayed }, "discord.resumed");
  });
  client.on("shardReconnecting", () => {
    state.health = { connected: false, detail: "the connection to Discord was lost; connecting again" };
    log.info({}, "discord.reconnecting");
  });
  client.on("shardDisconnect", ({ code }) => {
    const refusal = gatewayRefusal(code);
    state.refusal = refusal;
    state.health = { connected: false, detail: refusal?.message ?? `Discord closed the connection (${code})` };
    log.error({ code, detail: state.health.detail }, "discord.disconnected");
  });
  client.on("shardError", (error) => log.warn({ err: error }, "discord.gateway_error"));
  client.on("error", (error) => log.warn({ err: error }, "discord.client_error"));
  client.on("warn", (text) => log.warn({ text }, "discord.client_warning"));
  client.rest.on("invalidRequestWarning", (data) => log.warn(data, "discord.invalid_requests"));
}

/** Listens to raw events, because discord.js would drop messages in channels that it does not know. */
function listen(
  { ws, names }: { readonly ws: WebSocketManager; readonly names: typeof GatewayDispatchEvents },
  on: ConnectionOptions["on"],
  state: State,
): void {
  const unlessClosed = (handle: (data: unknown) => void) => (data: unknown) => {
    if (!state.closed) handle(data);
  };
  ws.on(names.MessageCreate, unlessClosed(on.message));
  ws.on(names.MessageUpdate, unlessClosed(on.edit));
  ws.on(names.MessageDelete, unlessClosed(on.deletion));
  ws.on(names.MessageDeleteBulk, unlessClosed(on.deletion));
  ws.on(names.InteractionCreate, unlessClosed(on.interaction));
  ws.on(names.MessageReactionAdd, unlessClosed(on.reaction));
  ws.on(names.ThreadDelete, unlessClosed(on.threadDelete));
}

async function closeClient(client: Client, state: State, clock: Clock): Promise<void> {
  state.closed = true;
  await waitAtMost(CLOSE_PATIENCE_MS, client.destroy(), clock);
  state.health = { connected: false, detail: "stopped" };
}
