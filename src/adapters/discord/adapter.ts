import type { Guild } from "discord.js";
import type { Cluster } from "../../core/cluster.ts";
import { ownId } from "../../core/events/event-key.ts";
import type {
  ChatPlatform,
  LinkingMessage,
  LinkPreviews,
  Membership,
  MissedQuery,
  PlatformHealth,
  ThreadMessage,
} from "../../core/platform/chat-platform.ts";
import type { Attachment, InboundEvent, InboundSurface, Receive } from "../../core/platform/inbound.ts";
import type { OutgoingFile, OutgoingMessage, PostedMessage } from "../../core/platform/outgoing.ts";
import type { Person, ThreadRef } from "../../core/platform/thread.ts";
import { PlatformError, toAppError } from "../../core/protocol/errors.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { SharedRates } from "../../core/shared-rates.ts";
import { connectWithRetries, stillConnecting } from "../render/reachability.ts";
import { createChannels, DM_WORKSPACE } from "./channels.ts";
import { type Connection, openConnection } from "./connection.ts";
import { DISCORD } from "./descriptor.ts";
import { createEphemerals } from "./ephemerals.ts";
import { isDiscordError, nullOnDiscordError } from "./errors.ts";
import { formatEdit, formatPost, postKey } from "./format.ts";
import { findPost, MESSAGE_GONE, readThread } from "./history.ts";
import { type CommandForm, registerCommands } from "./interactions/command-registration.ts";
import { createInteractions } from "./interactions/interactions.ts";
import { JOINED_LATELY_MS } from "./limits.ts";
import { createMemberAcrossGuilds, memberIn } from "./members.ts";
import { membershipIn } from "./membership.ts";
import { fetchAttachment } from "./message/attachments.ts";
import { createNamesIn } from "./message/named-people.ts";
import { previewsOf } from "./message/previews.ts";
import { createMessages, type DiscordScope, type Messages } from "./messages.ts";
import { missedMessages } from "./missed.ts";
import { createReactions } from "./reactions.ts";
import { createDiscordRest } from "./rest.ts";
import { guildJoined, guildsJoined } from "./surfaces.ts";
import { channelOf, createThreads } from "./threads.ts";
import { threadDeleteSchema } from "./wire.ts";

export interface DiscordOptions {
  readonly token: string;
  /** Root URL of the REST API without version; Discord's own by default. */
  readonly apiUrl?: string;
  /** Commands to register as slash commands; if omitted, the registered ones stay as they are. */
  readonly commands?: readonly CommandForm[];
  /** Emoji with which people point out messages to the bot: characters, or names of custom emoji. */
  readonly reactions?: readonly string[];
  /** Whether the bot answers this person; if not, their messages are not read. Everybody by default. */
  readonly serves?: (person: Person) => boolean;
  /** The processes that share Discord's events; if omitted, this process receives all of them. */
  readonly cluster?: Pick<Cluster, "hold" | "gatewaySessions" | "size"> | undefined;
  /** Counts the requests of all processes of this bot; null or absent if there is only one process. */
  readonly rates?: SharedRates | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** Connects the bot to Discord. A mention opens a thread; direct messages are one rolling session. */
export function createDiscordPlatform(options: DiscordOptions): ChatPlatform {
  return new DiscordPlatform(options);
}

const INTERACTIONS_ENDPOINT_SET =
  "connected, but clicks and slash commands go elsewhere: clear “Interactions Endpoint URL” in the Discord Developer " +
  "Portal, under General Information";

const SIGNS = { working: "⏳", seen: "✔️" } as const;

/** State that exists while connected. */
interface Live extends DiscordScope {
  readonly connection: Connection;
  readonly messages: Messages;
  readonly takeInteraction: (data: unknown) => Promise<void>;
  readonly takeReaction: (data: unknown) => Promise<void>;
  /** Whether the application has its own endpoint for interactions, so that clicks do not arrive here. */
  hasInteractionsEndpoint: boolean;
}

class DiscordPlatform implements ChatPlatform {
  readonly descriptor = DISCORD;
  readonly #options: DiscordOptions;
  readonly #log: Log;
  #live: Live | null = null;
  #idle: PlatformHealth = { connected: false, detail: "not started" };
  #stopping = new AbortController();
  /** Events being handled; `stop` waits for them. */
  readonly #tasks = new Set<Promise<unknown>>();

  constructor(options: DiscordOptions) {
    this.#options = options;
    this.#log = options.log.child({ platform: "discord" });
  }

  async start(receive: Receive, signal: AbortSignal): Promise<void> {
    this.#stopping = new AbortController();
    const either = AbortSignal.any([signal, this.#stopping.signal]);
    const { clock, apiUrl: address = "discord.com" } = this.#options;
    const setHealth = (health: PlatformHealth) => {
      this.#idle = health;
    };
    setHealth(stillConnecting(address));
    const trying = { address, onHealth: setHealth, event: "discord.connect_failed", clock, log: this.#log };
    try {
      this.#live = await connectWithRetries(() => this.#connect(receive, either), trying, either);
    } catch (error) {
      either.throwIfAborted();
      setHealth({ connected: false, detail: toAppError(error).message });
      throw error;
    }
    this.#log.info({ botId: this.#live.channels.names.botId }, "discord.connected");
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new PlatformError("platform_failed", "Discord is being stopped"));
    // Events that have arrived are handled while the connection they need is still open.
    await Promise.all(this.#tasks);
    await this.#live?.connection.close();
    await Promise.all(this.#tasks);
    this.#live = null;
    this.#idle = { connected: false, detail: "stopped" };
  }

  health(): PlatformHealth {
    const health = this.#live?.connection.health() ?? this.#idle;
    return health.connected && this.#live?.hasInteractionsEndpoint
      ? { ...health, detail: INTERACTIONS_ENDPOINT_SET }
      : health;
  }

  async post(thread: ThreadRef, message: OutgoingMessage, key: string): Promise<PostedMessage> {
    const { rest, threads } = this.#connected();
    const answer = { body: formatPost(message, postKey(thread, key)), files: message.files };
    const { channelId, messageId } = await threads.send(thread, (channelId) =>
      rest.createMessage(channelId, answer, permissionToPost(thread, message)),
    );
    return { platform: "discord", channelId, messageId };
  }

  find(thread: ThreadRef, key: string, since: number): Promise<PostedMessage | null> {
    const { rest, channels } = this.#connected();
    return findPost(rest, { thread, key: postKey(thread, key), since, botId: channels.names.botId });
  }

  async edit(posted: PostedMessage, message: OutgoingMessage): Promise<void> {
    const { rest } = this.#connected();
    const body = formatEdit(message);
    try {
      await rest.editMessage(posted, body);
    } catch (error) {
      if (!isDiscordError(error, "InvalidActionOnArchivedThread")) throw error;
      await rest.unarchiveThread(posted.channelId);
      await rest.editMessage(posted, body);
    }
  }

  async react(thread: ThreadRef, messageId: string, sign: "seen" | "working"): Promise<void> {
    const { rest } = this.#connected();
    const inThread = { channelId: channelOf(thread), messageId };
    if (messageId !== thread.threadId) return rest.addReaction(inThread, SIGNS[sign]);
    // The message that opens a thread stays in the channel, except in forums.
    const inChannel = rest.addReaction({ channelId: thread.channelId, messageId }, SIGNS[sign]);
    if ((await nullOnDiscordError(MESSAGE_GONE, inChannel)) === null) await rest.addReaction(inThread, SIGNS[sign]);
  }

  upload(thread: ThreadRef, file: OutgoingFile, key: string): Promise<PostedMessage> {
    return this.post(thread, { lane: "answer", tone: "plain", markdown: "", buttons: [], files: [file] }, key);
  }

  postEphemeral(thread: ThreadRef, personId: string, message: OutgoingMessage): Promise<void> {
    return this.#connected().ephemerals.post(thread, personId, message);
  }

  async membership(channel: ThreadRef, personId: string): Promise<Membership | null> {
    const { connection } = this.#connected();
    if (channel.workspaceId !== DM_WORKSPACE.id) await connection.refresh(channel.workspaceId);
    return membershipIn(connection.client, { ...channel, userId: ownId(personId) });
  }

  openPrivateThread(thread: ThreadRef, name: string, personId: string): Promise<ThreadRef | null> {
    return this.#connected().threads.openPrivate(thread, name, personId);
  }

  workspaces(): ReadonlyMap<string, string> {
    const guilds = this.#connected().connection.client.guilds.cache;
    return new Map(guilds.map(({ id, name }) => [id, name ?? id]));
  }

  member({ workspaceId }: ThreadRef, personId: string): Promise<Person | null> {
    return memberIn(this.#connected(), workspaceId, ownId(personId));
  }

  previews(of: LinkingMessage, signal: AbortSignal): Promise<LinkPreviews> {
    return previewsOf(of, { ...this.#connected(), membership: this.membership.bind(this) }, signal);
  }

  fetchFile(attachment: Attachment, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    return fetchAttachment(attachment, { rest: this.#connected().rest, maxBytes, signal });
  }

  async fetchThread(thread: ThreadRef, limit: number, signal: AbortSignal): Promise<readonly ThreadMessage[]> {
    const { rest, channels, namesIn } = this.#connected();
    const topic = await channels.topicOf(thread);
    return readThread(rest, { thread, limit, namesIn, topic, title: () => channels.titleOf(thread), signal });
  }

  missed(query: MissedQuery): Promise<readonly InboundEvent[]> {
    return missedMessages(this.#connected(), query);
  }

  #connected(): Live {
    if (this.#live === null) {
      throw new PlatformError("platform_failed", "Discord is not connected", {
        detail: { platform: DISCORD.title, sent: "no" },
      });
    }
    return this.#live;
  }

  /** Connects. Events may arrive before their handlers exist; they wait for these, in order. */
  async #connect(receive: Receive, signal: AbortSignal): Promise<Live> {
    const { token, apiUrl, rates, clock, cluster } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Live>();
    const on = {
      message: (data: unknown) => this.#own(promise.then((live) => live.messages.posted(data))),
      edit: (data: unknown) => this.#own(promise.then((live) => live.messages.edited(data))),
      deletion: (data: unknown) => this.#own(promise.then((live) => live.messages.deleted(data))),
      interaction: (data: unknown) => this.#own(promise.then((live) => live.takeInteraction(data))),
      reaction: (data: unknown) => this.#own(promise.then((live) => live.takeReaction(data))),
      guild: (guild: Guild) => this.#introduce([guildJoined(guild)], receive),
      threadDelete: (data: unknown) => this.#own(promise.then((live) => threadDeleted(live, data))),
      connected: () => this.#own(promise.then((live) => this.#receives(live, receive))),
    };
    const settled = async () => {
      await Promise.all(this.#tasks);
    };
    try {
      const shared = { cluster, settled };
      const connection = await openConnection({ token, apiUrl, rates, clock, log: this.#log, on, ...shared }, signal);
      resolve(this.#assemble(connection, receive));
    } catch (error) {
      reject(error);
    }
    return promise;
  }

  /** Does what only one process at a time has to do, once it receives the gateway's events. */
  #receives(live: Live, receive: Receive): void {
    const { commands, clock } = this.#options;
    const { client } = live.connection;
    if (commands !== undefined)
      this.#own(registerCommands(live.rest, client.application.id, { commands, log: this.#log }));
    this.#own(this.#checkClicks(live));
    this.#introduce(guildsJoined(client, clock.now() - JOINED_LATELY_MS), receive);
  }

  async #checkClicks(live: Live): Promise<void> {
    live.hasInteractionsEndpoint = (await live.rest.interactionsEndpoint()) !== null;
    if (live.hasInteractionsEndpoint)
      this.#log.error({ detail: INTERACTIONS_ENDPOINT_SET }, "discord.clicks_go_elsewhere");
  }

  #assemble(connection: Connection, receive: Receive): Live {
    const { clock } = this.#options;
    const log = this.#log;
    const { client } = connection;
    const rest = createDiscordRest(client.rest);
    const channels = createChannels(client, rest, this.#options.serves ?? (() => true));
    const threads = createThreads(rest, channels.names);
    const ephemerals = createEphemerals({ rest, threads, clock, log });
    const { signal } = this.#stopping;
    const memberAcrossGuilds = createMemberAcrossGuilds(client, rest, clock);
    const reactions = new Set(this.#options.reactions);
    const namesIn = createNamesIn(channels.names, { rest, memberAcrossGuilds }, clock);
    const own = { client, rest, channels, threads, ephemerals, memberAcrossGuilds, namesIn };
    const scope: DiscordScope = { ...own, receive, reactions, clock, log, signal };
    return {
      connection,
      ...scope,
      messages: createMessages(scope),
      takeInteraction: createInteractions(scope),
      takeReaction: createReactions(scope),
      hasInteractionsEndpoint: false,
    };
  }

  /** Reports that the bot was added to servers; the core posts the introductions. */
  #introduce(joined: readonly (InboundSurface | null)[], receive: Receive): void {
    for (const surface of joined) if (surface !== null) this.#own(receive(surface));
  }

  /** Handles an event in the background. A failure is logged and does not affect other events. */
  #own(work: Promise<unknown>): void {
    const task: Promise<unknown> = work
      .catch((error: unknown) => this.#log.error({ err: error }, "discord.event_failed"))
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }
}

async function threadDeleted({ threads, channels, messages }: Live, data: unknown): Promise<void> {
  const deleted = threadDeleteSchema.safeParse(data).data;
  if (deleted === undefined) return;
  const { id, parent_id: parent } = deleted;
  threads.existed(id);
  // A forum post is gone together with its first message, whose deletion Discord does not report separately.
  if (channels.isForum(parent)) await messages.deleted({ channel_id: id, id });
}

/** The permission to post, under its name in Discord's settings. */
function permissionToPost(thread: ThreadRef, message: OutgoingMessage): string {
  if (message.files.length > 0) return "Attach Files";
  return thread.threadId === null ? "Send Messages" : "Send Messages in Threads";
}
