import { ChannelFlags, ChannelType, type Client, Constants } from "discord.js";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { DM_WORKSPACE_ID } from "./descriptor.ts";
import { nullOnDiscordError } from "./errors.ts";
import type { ChannelContext, ReadScope } from "./inbound.ts";
import type { RedirectedThread } from "./interactions/direct-message-redirect.ts";
import type { Names } from "./message/text.ts";
import type { DiscordRest } from "./rest.ts";
import type { WireChannel } from "./wire.ts";

/** Placeholder server of direct messages, with the id that Discord's own links use. */
export const DM_WORKSPACE = { id: DM_WORKSPACE_ID, name: "Direct messages" };
/** Channels looked up over REST, because threads that were archived are missing in discord.js' cache. */
const MAX_CACHED_CHANNELS = 1_000;
const THREAD_TYPES: ReadonlySet<number> = new Set(Constants.ThreadChannelTypes);

export interface Channels {
  readonly names: Names;
  readonly serves: ReadScope["serves"];
  /**
   * Where an event in this channel happened; `guildId` is undefined for direct messages. `told` is the channel as
   * described by the event itself.
   */
  of(channelId: string, guildId: string | undefined, described?: WireChannel): Promise<ChannelContext>;
  /** A thread of a server, which may not exist yet, or a channel if no thread is named. */
  ofRedirect(at: RedirectedThread): Promise<ChannelContext>;
  /** Whether an existing channel is a forum, whose threads are posts. */
  isForum(channelId: string): boolean;
  /** Title and tags of a forum post; empty for other threads, and for one that is gone. */
  topicOf(thread: ThreadRef): Promise<string>;
  /** Title of a thread; empty if it is gone. */
  titleOf(thread: ThreadRef): Promise<string>;
}

export function createChannels(client: Client<true>, rest: DiscordRest, serves: ReadScope["serves"]): Channels {
  const remembered = new BoundedMap<string, WireChannel>(MAX_CACHED_CHANNELS);
  const lookUp = async (id: string): Promise<WireChannel> => {
    const known = cachedChannel(client, id) ?? remembered.get(id);
    if (known !== undefined) return known;
    const channel = await rest.channel(id);
    remembered.set(id, channel);
    return channel;
  };
  /** The channel of a thread. Commands may come from threads of channels that the bot cannot see. */
  const parentOf = async (thread: WireChannel, id: string): Promise<WireChannel> =>
    (await nullOnDiscordError(["MissingAccess"], lookUp(id))) ?? {
      ...thread,
      id,
      type: ChannelType.GuildText,
      name: null,
    };
  const unlessGone = async (described: Promise<string>): Promise<string> =>
    (await nullOnDiscordError(["UnknownChannel"], described)) ?? "";
  const postIn = async (channelId: string, threadId: string): Promise<string> => {
    const parent = await lookUp(channelId);
    return isForum(parent) ? topicOf(await lookUp(threadId), parent) : "";
  };
  const channels: Channels = {
    names: namesOf(client),
    serves,
    ofRedirect: async ({ channelId, threadId }) => {
      const channel = await lookUp(channelId);
      const place = await channels.of(channelId, channel.guild_id ?? undefined, channel);
      return { ...place, threadId, opensThreads: false };
    },
    isForum: (channelId) => {
      const channel = cachedChannel(client, channelId);
      return channel !== undefined && isForum(channel);
    },
    topicOf: async ({ channelId, threadId }) => (threadId === null ? "" : unlessGone(postIn(channelId, threadId))),
    titleOf: async ({ threadId }) =>
      threadId === null ? "" : unlessGone(lookUp(threadId).then(({ name }) => `[Thread “${name ?? ""}”]`)),
    of: async (channelId, guildId, described) => {
      if (guildId === undefined) return directMessages(channelId);
      const workspace = { id: guildId, name: client.guilds.cache.get(guildId)?.name ?? guildId };
      const channel = described ?? (await lookUp(channelId));
      const parentId = THREAD_TYPES.has(channel.type) ? (channel.parent_id ?? channelId) : channelId;
      const parent = parentId === channelId ? channel : await parentOf(channel, parentId);
      return {
        workspace,
        channel: { id: parentId, name: parent.name ?? parentId, kind: "channel" },
        threadId: parentId === channelId ? null : channelId,
        opensThreads: channel.type === ChannelType.GuildText || channel.type === ChannelType.GuildAnnouncement,
        ...(isForum(parent) && parent !== channel ? { topic: topicOf(channel, parent) } : {}),
      };
    },
  };
  return channels;
}

function directMessages(channelId: string): ChannelContext {
  return {
    workspace: DM_WORKSPACE,
    channel: { id: channelId, name: "direct message", kind: "dm" },
    threadId: null,
    opensThreads: false,
  };
}

function cachedChannel(client: Client<true>, id: string): WireChannel | undefined {
  const channel = client.channels.cache.get(id);
  if (channel === undefined || channel.isDMBased()) return undefined;
  return {
    id,
    type: channel.type,
    guild_id: channel.guildId,
    // If the bot cannot see the channel, Discord makes up a name.
    name: channel.flags.has(ChannelFlags.ChannelObfuscated) ? null : channel.name,
    parent_id: channel.parentId,
    applied_tags: channel.isThread() ? channel.appliedTags : [],
    available_tags: channel.isThreadOnly() ? channel.availableTags : [],
  };
}

/** A forum post's title and tags, which often describe it better than its first message. */
function topicOf(channel: WireChannel, parent: WireChannel): string {
  const tags = parent.available_tags.filter(({ id }) => channel.applied_tags.includes(id)).map(({ name }) => name);
  return `[Post “${channel.name ?? ""}”${tags.length === 0 ? "" : `, tags: ${tags.join(", ")}`}]`;
}

function isForum({ type }: WireChannel): boolean {
  return type === ChannelType.GuildForum || type === ChannelType.GuildMedia;
}

function namesOf(client: Client<true>): Names {
  const role = (id: string) => client.guilds.cache.map((guild) => guild.roles.cache.get(id)).find(Boolean);
  const botId = client.user.id;
  return {
    botId,
    isBotRole: (id) => role(id)?.tags?.botId === botId,
    role: (id) => role(id)?.name,
    channel: (id) => cachedChannel(client, id)?.name ?? undefined,
    sound: (id) => client.guilds.cache.map((guild) => guild.soundboardSounds.cache.get(id)?.name).find(Boolean),
  };
}
