import { type Channel, type Guild, isThread, type Message, type Role, TYPE, type World } from "./world.ts";

/** Payloads of Discord's API and gateway that describe the world. */

export function channelPayload(channel: Channel): object {
  return {
    id: channel.id,
    type: channel.type,
    name: channel.name,
    parent_id: channel.parent_id,
    last_message_id: channel.messages.at(-1)?.id ?? null,
    position: 0,
    permission_overwrites: overwrites(channel),
    ...(channel.guild_id === undefined ? {} : { guild_id: channel.guild_id }),
    ...(channel.recipient === undefined ? {} : { recipients: [channel.recipient] }),
    ...(channel.type === TYPE.forum
      ? { available_tags: channel.tags.map((tag) => ({ ...tag, moderated: false })) }
      : {}),
    ...(isThread(channel)
      ? {
          applied_tags: channel.tags.map(({ id }) => id),
          owner_id: "0",
          message_count: channel.messages.length,
          member_count: 1,
          thread_metadata: {
            archived: channel.archived,
            locked: channel.locked,
            auto_archive_duration: 4320,
            archive_timestamp: new Date(0).toISOString(),
          },
        }
      : {}),
  };
}

/** Permissions of everybody. Source: Discord docs, Permissions: View Channel, Send Messages. */
const VIEW = 1n << 10n;
const SEND = 1n << 11n;

function permissionsOf({ id }: Role, guild: Guild): string {
  return id === guild.id ? String(VIEW | SEND) : "0";
}

/**
 * Hides a channel from everybody (the role with the server's id) and shows it to some. Source: Discord docs, Overwrite
 * Object.
 */
function overwrites({ guild_id: everyone, seenBy }: Channel): object[] {
  if (seenBy === undefined) return [];
  const hidden = { id: everyone, type: 0, allow: "0", deny: String(VIEW) };
  return [hidden, ...[...seenBy].map((id) => ({ id, type: 1, allow: String(VIEW), deny: "0" }))];
}

/** A channel as the gateway describes it; one that the bot cannot see is reduced to little more than its existence. */
function channelOfGuild(world: World, channel: Channel): object {
  const whole = channelPayload(channel);
  if (isSeen(world, channel)) return whole;
  const deny = [{ id: channel.guild_id, type: 0, allow: "0", deny: String(VIEW) }];
  return { ...whole, name: "___hidden___", flags: CHANNEL_OBFUSCATED, permission_overwrites: deny };
}

/** Source: Discord docs, Channel Flags. */
const CHANNEL_OBFUSCATED = 1 << 17;

export function isSeen({ bot }: World, { seenBy }: Channel): boolean {
  return seenBy === undefined || seenBy.has(bot.id);
}

export function guildPayload(world: World, guild: Guild) {
  const channels = [...world.channels.values()].filter((channel) => channel.guild_id === guild.id);
  const own = guild.members.get(world.bot.id);
  return {
    id: guild.id,
    name: guild.name,
    joined_at: new Date(guild.joinedAt).toISOString(),
    owner_id: "0",
    roles: guild.roles.map((role, position) => ({
      ...role,
      permissions: permissionsOf(role, guild),
      position,
      color: 0,
      hoist: false,
    })),
    channels: channels.filter((channel) => !isThread(channel)).map((channel) => channelOfGuild(world, channel)),
    threads: channels.filter((channel) => isThread(channel) && !channel.archived).map(channelPayload),
    members: [{ user: world.bot, ...own, joined_at: new Date(0).toISOString() }],
    member_count: guild.members.size,
    emojis: [],
    stickers: [],
    soundboard_sounds: guild.sounds.map((sound) => ({ ...sound, guild_id: guild.id, volume: 1, available: true })),
    features: [],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    large: false,
    unavailable: false,
  };
}

export interface View {
  readonly world: World;
  /** Origin from which files are served. */
  readonly origin: string;
  /** What a file's URL must contain to be valid. */
  readonly urlGeneration: () => number;
}

/** A message as returned by REST: without its nonce, its author's membership and its server. */
export function messagePayload(view: View, message: Message): Record<string, unknown> {
  const { world, origin, urlGeneration } = view;
  return {
    id: message.id,
    channel_id: message.channel_id,
    type: message.type,
    author: message.author,
    content: message.content,
    timestamp: new Date().toISOString(),
    edited_timestamp: message.editedAt === undefined ? null : new Date(message.editedAt).toISOString(),
    tts: false,
    mention_everyone: false,
    mentions: mentionsIn(world, message),
    mention_roles: [...message.content.matchAll(/<@&(\d+)>/gu)].map(([, id]) => id),
    attachments: message.files.map((file) => ({
      id: file.id,
      filename: file.name,
      size: file.data.length,
      url: `${origin}/attachments/${message.channel_id}/${file.id}/${encodeURIComponent(file.name)}?ex=${urlGeneration()}`,
      proxy_url: "",
      content_type: file.mediaType,
    })),
    embeds: [],
    pinned: false,
    flags: message.flags,
    components: message.components,
    ...(message.repliesTo === undefined ? {} : { referenced_message: messagePayload(view, message.repliesTo) }),
    ...message.extra,
  };
}

/** A message as the gateway pushes it. */
export function messageEvent(view: View, channel: Channel, message: Message): Record<string, unknown> {
  const member = view.world.guildOf(channel)?.members.get(message.author.id);
  return {
    ...messagePayload(view, message),
    ...(channel.guild_id === undefined ? {} : { guild_id: channel.guild_id }),
    ...(member === undefined ? {} : { member }),
    ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
  };
}

function mentionsIn(world: World, message: Message): object[] {
  const channel = world.channels.get(message.channel_id);
  const guild = channel === undefined ? undefined : world.guildOf(channel);
  const named = [...message.content.matchAll(/<@!?(\d+)>/gu)].map(([, id]) => id ?? "");
  // A reply notifies the author of the message that it answers, and lists them as mentioned.
  const replied = message.repliesTo === undefined ? [] : [message.repliesTo.author.id];
  return [...new Set([...named, ...replied])].flatMap((id) => {
    const user = world.users.get(id);
    return user === undefined ? [] : [{ ...user, member: guild?.members.get(id) }];
  });
}
