import type { Client, ClientOptions, GatewayDispatchEvents, WebSocketManager, WebSocketOptions } from "discord.js";
import type { Log } from "../../core/protocol/log.ts";
import type { PlatformHealth } from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { gatewayRefusal, loginError } from "./errors.ts";
import { LONGEST_PACING_MS, REQUEST_TIMEOUT_MS, REQUESTS_PER_SECOND } from "./limits.ts";

/** How long the servers' descriptions are waited for after login: they make names known without asking. Milliseconds. */
const GUILDS_TIMEOUT_MS = 3_000;
/** How long `close` waits for a connection that is being made anew: discord.js cannot give one up half-way. Milliseconds. */
const RECONNECT_GRACE_MS = 2_000;

export interface ConnectionOptions {
  readonly token: string;
  /** The REST root without version. */
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called in the order of the gateway's events, with what it sent. */
  readonly on: Readonly<Record<"message" | "interaction" | "threadDelete", (data: unknown) => void>>;
}

export interface Connection {
  readonly client: Client<true>;
  health(): PlatformHealth;
  close(): Promise<void>;
}

interface State {
  health: PlatformHealth;
  /** Set for good once Discord will never let this client in. */
  refusal: Error | null;
  closed: boolean;
}

/**
 * Logs in and waits until the gateway is ready. Rejects with `platform_auth` or `missing_scope` when
 * that never can be, with another PlatformError when trying again may help, with the signal's reason
 * when it aborts. discord.js is loaded here, so that nobody without a Discord token pays for it.
 */
export async function openConnection(options: ConnectionOptions, signal: AbortSignal): Promise<Connection> {
  signal.throwIfAborted();
  const discord = await import("discord.js");
  const client = new discord.Client(clientOptions(discord, options));
  const state: State = { health: { connected: false, detail: "connecting" }, refusal: null, closed: false };
  watch(client, state, options.log);
  listen({ ws: client.ws, names: discord.GatewayDispatchEvents }, options.on, state);
  const ready = new Promise<Client<true>>((resolve) => {
    client.once("clientReady", resolve);
  });
  const close = () => closeClient(client, state, options.clock);
  try {
    await client.login(options.token);
    const loggedIn = await ready;
    signal.throwIfAborted();
    return { client: loggedIn, health: () => state.health, close };
  } catch (error) {
    await close();
    signal.throwIfAborted();
    throw state.refusal ?? loginError(error);
  }
}

function clientOptions(discord: typeof import("discord.js"), { apiUrl, log }: ConnectionOptions): ClientOptions {
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = discord.GatewayIntentBits;
  return {
    intents: [Guilds, GuildMessages, DirectMessages, MessageContent],
    allowedMentions: { parse: [], repliedUser: false },
    waitGuildTimeout: GUILDS_TIMEOUT_MS,
    ws: {
      buildStrategy: (manager) => {
        shield(manager, log);
        return new discord.SimpleShardingStrategy(manager);
      },
    },
    makeCache: discord.Options.cacheWithLimits(cacheLimits()),
    rest: {
      ...(apiUrl === undefined ? {} : { api: apiUrl.replace(/\/+$/u, "") }),
      timeout: REQUEST_TIMEOUT_MS,
      globalRequestsPerSecond: REQUESTS_PER_SECOND,
      // Safe for posts, too: their nonce makes Discord answer a repetition with the first message.
      retries: 1,
      rejectOnRateLimit: (limit) => limit.retryAfter > LONGEST_PACING_MS,
    },
  };
}

type GatewayManager = Parameters<NonNullable<WebSocketOptions["buildStrategy"]>>[0];

/**
 * discord.js handles events before their form is checked, and what it throws then ends as an unhandled
 * rejection, which ends the process. One event that it cannot digest must not do that.
 */
function shield(manager: GatewayManager, log: Log): void {
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

/** Servers, channels, threads and roles are kept, since they give names to ids; all else is not needed twice. */
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

function watch(client: Client, state: State, log: Log): void {
  const connected = () => {
    state.health = { connected: true, detail: "connected" };
  };
  client.on("clientReady", connected);
  client.on("shardReady", connected);
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

/** The raw events: discord.js would drop messages of channels that it has not heard of. */
function listen(
  { ws, names }: { readonly ws: WebSocketManager; readonly names: typeof GatewayDispatchEvents },
  on: ConnectionOptions["on"],
  state: State,
): void {
  const unlessClosed = (handle: (data: unknown) => void) => (data: unknown) => {
    if (!state.closed) handle(data);
  };
  ws.on(names.MessageCreate, unlessClosed(on.message));
  ws.on(names.InteractionCreate, unlessClosed(on.interaction));
  ws.on(names.ThreadDelete, unlessClosed(on.threadDelete));
}

async function closeClient(client: Client, state: State, clock: Clock): Promise<void> {
  state.closed = true;
  await reconnected(client, state, clock);
  await client.destroy();
  state.health = { connected: false, detail: "stopped" };
}

/** Waits for a connection that is being made anew, so that it can be closed. */
function reconnected(client: Client, state: State, clock: Clock): Promise<void> {
  if (!client.isReady() || state.health.connected || state.refusal !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.after(RECONNECT_GRACE_MS, resolve);
    for (const event of ["shardReady", "shardResume"] as const) {
      client.once(event, () => {
        cancel();
        resolve();
      });
    }
  });
}
