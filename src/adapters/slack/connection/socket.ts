import type { SocketModeReceiver } from "@slack/bolt";
import { z } from "zod";
import type { PlatformHealth } from "../../../core/platform/chat-platform.ts";
import { PlatformError, toAppError } from "../../../core/protocol/errors.ts";
import type { Log } from "../../../core/protocol/log.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { fromJson } from "../../../core/text/from-json.ts";
import { unlessAborted } from "../../../core/unless-aborted.ts";
import { connectWithRetries, stillConnecting } from "../../render/reachability.ts";
import { toPlatformError } from "../errors.ts";
import { type Bolt, clientOptions, sdkLogger } from "../web.ts";
import type { SlackTransport, TakePayload } from "./transport.ts";

export interface SlackSocketOptions {
  readonly bolt: Bolt;
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  /** Whether the socket connects through the proxy that `fetch` uses. */
  readonly proxied?: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Maximum time between opening the socket and Slack's hello. In milliseconds. */
const HELLO_WITHIN_MS = 10_000;
/** A socket whose pings go unanswered for this long counts as dead. In milliseconds. */
const PONG_WITHIN_MS = 5_000;
/** Slack redelivers events that it could not send during a loss of up to this length. In milliseconds. */
const BRIEF_LOSS_MS = 15_000;
/** How long to wait for the peer to answer a close. In milliseconds. */
const CLOSE_WITHIN_MS = 500;

type SocketClient = SocketModeReceiver["client"];

/** The used part of what the client emits for each envelope. */
const envelopeSchema = z.object({
  body: z.unknown(),
  ack: z.custom<(response?: object) => Promise<void>>((value) => typeof value === "function"),
});

/** The SDK's own events. An envelope of a type with one of these names would trigger them. */
const OWN_EVENTS = new Set(
  "slack_event ws_message outgoing_message connecting connected reconnecting disconnecting disconnected authenticated close error open".split(
    " ",
  ),
);
const rawSchema = z.looseObject({ type: z.string() });
const rawEventSchema = z.object({ payload: z.object({ event: z.looseObject({ type: z.string() }) }) });

/**
 * Socket Mode over Bolt's client. This class reconnects by itself, because the SDK waits five seconds after each
 * disconnect, and a reconnect of its own that fails permanently ends in an unhandled rejection.
 */
export class SlackSocket implements SlackTransport {
  readonly #options: SlackSocketOptions;
  #take: TakePayload = () => Promise.resolve(undefined);
  #client: SocketClient | undefined;
  #health: PlatformHealth = { connected: false, detail: "not started" };
  /** Since when no event can have been missed. In milliseconds since the epoch. */
  #receivingSince = 0;
  /** When the previous connection was lost. In milliseconds since the epoch. */
  #lostAt: number | null = null;
  #closing = new AbortController();
  #reconnecting: Promise<void> = Promise.resolve();
  /** Envelopes being handled; none rejects. */
  readonly #tasks = new Set<Promise<void>>();

  constructor(options: SlackSocketOptions) {
    this.#options = options;
  }

  async open(take: TakePayload, signal: AbortSignal): Promise<void> {
    this.#take = take;
    this.#health = stillConnecting(this.#address());
    this.#closing = new AbortController();
    const either = AbortSignal.any([signal, this.#closing.signal]);
    await connectWithRetries(() => this.#connect(either), this.#connectOptions(), either);
  }

  async close(): Promise<void> {
    this.#closing.abort(new PlatformError("platform_failed", "closed"));
    this.#health = { connected: false, detail: "stopped" };
    this.#lostAt = null;
    await this.#reconnecting;
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await this.#disconnect(client);
    await Promise.all(this.#tasks);
  }

  health(): PlatformHealth {
    return this.#health;
  }

  #address(): string {
    return this.#options.apiUrl ?? "slack.com";
  }

  #connectOptions() {
    const { clock, log } = this.#options;
    const onHealth = (health: PlatformHealth) => {
      this.#health = health;
    };
    return { address: this.#address(), onHealth, event: "slack_connect_failed", clock, log };
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { bolt, appToken, apiUrl, proxied, clock, log } = this.#options;
    const { client } = new bolt.SocketModeReceiver({
      appToken,
      ...(proxied === true ? { dispatcher: globalDispatcher() } : {}),
      autoReconnectEnabled: false,
      clientPingTimeout: PONG_WITHIN_MS,
      installerOptions: { clientOptions: clientOptions(bolt, { apiUrl, log }) },
      logger: sdkLogger(bolt, log),
    });
    guardMessages(client, log);
    client.on("slack_event", (envelope: unknown) => {
      const task = this.#taken(envelope).finally(() => this.#tasks.delete(task));
      this.#tasks.add(task);
    });
    client.on("disconnected", () => this.#lost(client));
    await this.#hello(client, signal);
    this.#client = client;
    const now = clock.now();
    if (this.#lostAt === null || now - this.#lostAt > BRIEF_LOSS_MS) this.#receivingSince = now;
    this.#health = { connected: true, detail: "connected by Socket Mode", receivingSince: this.#receivingSince };
    log.info({}, "slack_connected");
  }

  /** Starts the client, which resolves on hello, and adds the timeout that the SDK lacks. */
  async #hello(client: SocketClient, signal: AbortSignal): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const noHello = () => reject(new PlatformError("network", "no hello from Slack"));
    const cancel = this.#options.clock.after(HELLO_WITHIN_MS, noHello);
    try {
      await unlessAborted(Promise.race([client.start(), late]), signal);
    } catch (error) {
      await this.#disconnect(client);
      // The SDK rejects with undefined if the socket closes before hello.
      if (error === undefined) throw new PlatformError("network", "the socket closed before hello");
      throw signal.aborted ? error : toPlatformError(error, "connect by Socket Mode", "SLACK_APP_TOKEN");
    } finally {
      cancel();
    }
  }

  #lost(client: SocketClient): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    if (this.#closing.signal.aborted) return;
    this.#lostAt = this.#options.clock.now();
    this.#health = { connected: false, detail: "the connection to Slack is lost; connecting again" };
    this.#options.log.warn({}, "slack_disconnected");
    this.#reconnecting = this.#reconnect();
  }

  /** Retries until `close` is called. Never rejects. */
  async #reconnect(): Promise<void> {
    const { signal } = this.#closing;
    try {
      await connectWithRetries(
        () => this.#connect(signal),
        { ...this.#connectOptions(), isTransient: () => true },
        signal,
      );
    } catch (error) {
      this.#options.log.debug({ message: toAppError(error).message }, "slack_reconnect_ended");
    }
  }

  /** Acknowledges an envelope only after its payload was handled. Without an acknowledgement Slack sends it again. */
  async #taken(envelope: unknown): Promise<void> {
    const { log } = this.#options;
    try {
      const { body, ack } = envelopeSchema.parse(envelope);
      await ack(await this.#take(body));
    } catch (error) {
      const { code, message } = toAppError(error);
      log.warn({ code, message }, "slack_event_not_answered");
    }
  }

  async #disconnect(client: SocketClient): Promise<void> {
    const { clock } = this.#options;
    const gone = client.disconnect();
    // A second call drops a socket whose peer does not answer the first one's close.
    const cancel = clock.after(CLOSE_WITHIN_MS, () => {
      this.#reconnecting = Promise.all([this.#reconnecting, client.disconnect()]).then(() => undefined);
    });
    await gone;
    cancel();
  }
}

type Dispatcher = NonNullable<ConstructorParameters<Bolt["SocketModeReceiver"]>[0]["dispatcher"]>;

/**
 * The dispatcher of `fetch`. Source: undici, `lib/global.js`, which shares it between the copies in Node and the SDK.
 */
function globalDispatcher(): Dispatcher {
  const dispatcher: Dispatcher = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"));
  return dispatcher;
}

/** Drops malformed messages: the SDK parses them in an unawaited promise, so a bad one would end the process. */
function guardMessages(client: SocketClient, log: Log): void {
  const readers = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  client.on("ws_message", (data: unknown, isBinary: unknown) => {
    if (!isEnvelope(data)) {
      log.warn({ sample: String(data).slice(0, 200) }, "slack_message_malformed");
      return;
    }
    for (const read of readers) read(data, isBinary);
  });
}

function isEnvelope(data: unknown): boolean {
  if (typeof data !== "string") return false;
  const raw = rawSchema.safeParse(fromJson(data));
  if (!raw.success || OWN_EVENTS.has(raw.data.type)) return false;
  if (raw.data.type !== "events_api") return true;
  const event = rawEventSchema.safeParse(raw.data);
  return event.success && !OWN_EVENTS.has(event.data.payload.event.type);
}
