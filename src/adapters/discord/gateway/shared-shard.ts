import type { REST, WebSocketOptions } from "discord.js";
import { z } from "zod";
import type { Cluster } from "../../../core/cluster.ts";
import type { PlatformHealth } from "../../../core/platform/chat-platform.ts";
import type { Log } from "../../../core/protocol/log.ts";
import { type Clock, sleepUnlessAborted } from "../../../core/protocol/runtime.ts";
import { waitAtMost } from "../../../core/wait-at-most.ts";
import { fetchInitialEvents, guildOf, type InitialEvents } from "./initial-events.ts";

type BuildStrategy = NonNullable<WebSocketOptions["buildStrategy"]>;
type Strategy = ReturnType<BuildStrategy>;

interface ShardSharing {
  readonly manager: Parameters<BuildStrategy>[0];
  /** The strategy that connects. */
  readonly plain: Strategy;
  readonly rest: REST;
  readonly cluster: Pick<Cluster, "gatewaySessions" | "size">;
  /** Resolves once everything received so far is stored. */
  readonly settled: () => Promise<void>;
  /** Forgets all servers but these. */
  readonly keepOnly: (guildIds: ReadonlySet<string>) => void;
  readonly clock: Clock;
  readonly log: Log;
}

const SHARD = 0;

/** Role whose holder connects the shard. */
export const SHARD_ROLE = `discord:shard:${SHARD}`;

/** How long data about a server is used by a process that receives no events. In milliseconds. */
const FRESH_MS = 15_000;

/** Discord keeps a session closed with any code but 1000 and 1001. Source: Discord docs, Gateway, Disconnections. */
const RESUMABLE = 4_200;

/** Interval at which the position within the session is stored. In milliseconds. */
const NOTE_EVERY_MS = 2_000;

/** A process that cannot connect for this long lets another one try. In milliseconds. */
const DISCONNECTED_MS = 15_000;

/** Maximum wait for closing, and for storing the position. In milliseconds. */
const LEAVE_TIMEOUT_MS = 1_000;

const keptSchema = z.object({
  /** Id of the bot whose session it is. */
  bot: z.string(),
  sessionId: z.string(),
  resumeURL: z.string(),
  sequence: z.number(),
  shardId: z.number(),
  shardCount: z.number(),
  /** When the session began; no event was missed since. In milliseconds since the epoch. */
  since: z.number(),
});

/**
 * A shard that one process at a time connects; the others read the servers over REST. The session passes from one
 * process to the next, which resumes it after the last stored event; the gateway then sends the later events again.
 */
export class SharedShard implements Strategy {
  readonly #options: ShardSharing;
  readonly #update: ShardSharing["manager"]["options"]["updateSessionInfo"];
  #session: Session | null = null;
  #since: number | null = null;
  /** The position stored last, as JSON. */
  #noted = "";
  #phase: "resting" | "connecting" | "receiving" = "resting";
  /** Since when the shard has been disconnected. In milliseconds since the epoch. */
  #disconnectedSince = 0;
  #isReplaying = false;
  #bot = "";
  /** When discord.js was last given each server's data. In milliseconds since the epoch. */
  readonly #refreshedAt = new Map<string, number>();

  constructor(options: ShardSharing) {
    this.#options = options;
    const { manager } = options;
    this.#update = manager.options.updateSessionInfo.bind(manager.options);
    manager.options.updateSessionInfo = (shardId, session) => {
      // A session that this process gives up belongs to the next one.
      if (this.#phase === "resting") return;
      this.#session = session;
      return this.#update(shardId, session);
    };
    manager.on("ready", () => this.#connected(options.clock.now()));
    manager.on("resumed", () => this.#connected(null));
    manager.on("closed", () => {
      if (this.#phase === "receiving") this.#begin();
    });
  }

  spawn = (shardIds: number[]) => this.#options.plain.spawn(shardIds);
  destroy: Strategy["destroy"] = (options) => this.#options.plain.destroy(options);
  send: Strategy["send"] = (shardId, payload) => this.#options.plain.send(shardId, payload);
  fetchStatus: Strategy["fetchStatus"] = () => this.#options.plain.fetchStatus();

  /** Makes discord.js know the servers, which is all that connecting means for processes without the gateway. */
  connect = (): Promise<void> => this.#introduce();

  /** Feeds discord.js what the gateway would send now about the bot and its servers. */
  async #introduce(): Promise<void> {
    const { rest, log, keepOnly } = this.#options;
    const initial = await fetchInitialEvents(rest, log);
    this.#bot = z.object({ id: z.string() }).parse(initial.ready["user"]).id;
    keepOnly(new Set(initial.ready.guilds.map(({ id }) => id)));
    this.#emitInitialEvents(initial);
    for (const { id } of initial.ready.guilds) this.#refreshedAt.set(id, this.#options.clock.now());
  }

  /** Updates a server's data in discord.js, unless this process receives the gateway's events about it. */
  async refresh(guildId: string): Promise<void> {
    const { rest, clock } = this.#options;
    const now = clock.now();
    if (this.#phase !== "resting" || now - (this.#refreshedAt.get(guildId) ?? 0) < FRESH_MS) return;
    this.#dispatch("GUILD_CREATE", await guildOf(rest, guildId, this.#bot), guildId);
    this.#refreshedAt.set(guildId, now);
  }

  /**
   * Connects and continues the previous process's session, until the signal aborts, or the gateway keeps this process
   * out while others could try. Calls `connected` on each connection. Rejects if Discord refuses permanently.
   */
  async receive(connected: () => void, signal: AbortSignal): Promise<void> {
    const { manager, plain, cluster, log } = this.#options;
    const found = keptSchema.safeParse(await cluster.gatewaySessions.of(SHARD_ROLE)).data;
    const { since = null, bot, ...session } = found ?? { bot: null };
    const kept = bot === this.#bot && "sessionId" in session ? session : null;
    this.#begin();
    this.#session = kept;
    this.#since = since;
    this.#update(SHARD, kept);
    // The known servers may be as old as this process.
    this.#introduce().catch((error: unknown) => log.warn({ err: error }, "discord.servers_not_read"));
    const onConnected = () => {
      if (this.#phase === "receiving") connected();
    };
    manager.on("ready", onConnected);
    manager.on("resumed", onConnected);
    const over = new AbortController();
    const keeping = this.#keepPosition(AbortSignal.any([signal, over.signal]));
    try {
      await Promise.race([plain.connect(), keeping]);
      await keeping;
    } finally {
      over.abort();
      manager.off("ready", onConnected);
      manager.off("resumed", onConnected);
      await this.#leave();
    }
  }

  /** Stores the position regularly; ends once this process cannot connect while another might. Never rejects. */
  async #keepPosition(signal: AbortSignal): Promise<void> {
    const { cluster, clock, log } = this.#options;
    const isDisconnected = () =>
      this.#phase === "connecting" && clock.now() - this.#disconnectedSince >= DISCONNECTED_MS;
    while (!signal.aborted && !(isDisconnected() && cluster.size() > 1)) {
      await this.#note().catch((error: unknown) => log.warn({ err: error }, "discord.session_not_noted"));
      await sleepUnlessAborted(clock, NOTE_EVERY_MS, signal);
    }
  }

  #begin(): void {
    this.#phase = "connecting";
    this.#disconnectedSince = this.#options.clock.now();
  }

  health(): PlatformHealth {
    switch (this.#phase) {
      case "receiving":
        return { connected: true, detail: "connected", receivingSince: this.#since };
      case "connecting":
        return { connected: false, detail: "not connected to Discord's gateway; connecting", receivingSince: null };
      default:
        return { connected: true, detail: "posts only: another process receives", receivingSince: null };
    }
  }

  #connected(since: number | null): void {
    if (this.#isReplaying) return;
    this.#phase = "receiving";
    this.#since = since ?? this.#since;
  }

  async #leave(): Promise<void> {
    const { manager, plain, clock, log } = this.#options;
    const notNoted = (error: unknown) => log.warn({ err: error }, "discord.session_not_noted");
    this.#phase = "resting";
    await waitAtMost(LEAVE_TIMEOUT_MS, plain.destroy({ code: RESUMABLE, reason: "another process goes on" }), clock);
    await waitAtMost(LEAVE_TIMEOUT_MS, this.#note(), clock).catch(notNoted);
    await plain.spawn(await manager.getShardIds());
  }

  /** Stores the position in the session, after all events before it are stored. */
  async #note(): Promise<void> {
    const { cluster, settled } = this.#options;
    const kept = this.#session === null ? null : { ...this.#session, bot: this.#bot, since: this.#since ?? 0 };
    const noted = JSON.stringify(kept);
    if (noted === this.#noted) return;
    await settled();
    await cluster.gatewaySessions.keep(SHARD_ROLE, kept);
    this.#noted = noted;
  }

  #emitInitialEvents({ ready, guilds }: InitialEvents): void {
    const { manager } = this.#options;
    this.#isReplaying = true;
    try {
      Reflect.apply(manager.emit.bind(manager), null, ["ready", { data: ready, shardId: SHARD }]);
      this.#dispatch("READY", ready);
      for (const guild of guilds) this.#dispatch("GUILD_CREATE", guild);
    } finally {
      this.#isReplaying = false;
    }
  }

  /** Feeds discord.js an event as if from the gateway. `anew`: a server to forget first, so that it is read in full. */
  #dispatch(t: string, d: object, anew: string | null = null): void {
    const { manager } = this.#options;
    if (anew !== null) this.#dispatch("GUILD_DELETE", { id: anew, unavailable: true });
    // The types of these events require many fields that nobody reads.
    Reflect.apply(manager.emit.bind(manager), null, ["dispatch", { data: { op: 0, s: 0, t, d }, shardId: SHARD }]);
  }
}

type Session = Omit<z.infer<typeof keptSchema>, "since" | "bot">;
