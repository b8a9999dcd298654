import {
  ChannelFlags,
  ChannelType,
  type Client,
  type GuildChannel,
  type GuildMember,
  PermissionFlagsBits,
  type ThreadChannel,
} from "discord.js";
import type { Membership } from "../../core/platform/chat-platform.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { isDiscordError, nullOnDiscordError, toPlatformError } from "./errors.ts";

/** A channel or one of its threads, and a person. */
type Asked = Omit<ThreadRef, "platform"> & { readonly userId: string };

/**
 * How a person and the bot relate to a channel of a server, a thread in it, or direct messages; null if the bot cannot
 * see it.
 */
export async function membershipIn(client: Client<true>, asked: Asked): Promise<Membership | null> {
  const { channelId, workspaceId, threadId, userId } = asked;
  try {
    const thread = threadId === null ? null : await threadOf(client, { channelId, threadId });
    if (thread === undefined) return null;
    const channel = await client.channels.fetch(channelId);
    if (channel === null) return null;
    if (channel.isDMBased())
      return { isPrivate: true, isMember: "recipientId" in channel && channel.recipientId === userId, canPost: true };
    if (channel.isThread() || !("permissionOverwrites" in channel) || channel.guildId !== workspaceId) return null;
    if (channel.flags.has(ChannelFlags.ChannelObfuscated)) return null;
    const { guild } = channel;
    const me = guild.members.me ?? (await guild.members.fetchMe());
    const member = await memberOf(channel, userId);
    const isForFew = thread?.type === ChannelType.PrivateThread;
    const sees = member !== null && channel.permissionsFor(member).has(VIEW);
    const isLetIn = !isForFew || (sees && (await isInvited({ thread, channel, member })));
    return {
      isPrivate: isForFew || !channel.permissionsFor(guild.roles.everyone).has(VIEW),
      isMember: sees && isLetIn,
      canPost: channel.permissionsFor(me).has([VIEW, PermissionFlagsBits.SendMessages]),
    };
  } catch (error) {
    if (isDiscordError(error, "UnknownChannel", "MissingAccess")) return null;
    throw toPlatformError(error, "View Channel");
  }
}

const VIEW = PermissionFlagsBits.ViewChannel;

/** A thread of the channel; undefined if there is none that the bot can see. */
async function threadOf(
  client: Client<true>,
  { channelId, threadId }: { readonly channelId: string; readonly threadId: string },
): Promise<ThreadChannel | undefined> {
  const thread = await client.channels.fetch(threadId);
  return thread?.isThread() === true && thread.parentId === channelId ? thread : undefined;
}

interface Invited {
  readonly thread: ThreadChannel;
  readonly channel: GuildChannel;
  readonly member: GuildMember;
}

/** Whether a person can see a private thread: as a member of it, or because they manage threads. */
async function isInvited({ thread, channel, member }: Invited): Promise<boolean> {
  if (channel.permissionsFor(member).has(PermissionFlagsBits.ManageThreads)) return true;
  return (
    (await nullOnDiscordError(["UnknownMember"], thread.members.fetch({ member: member.id, force: true }))) !== null
  );
}

/** Reads the member afresh, since the bot is not notified of changed roles. Null if not on the server. */
function memberOf({ guild }: GuildChannel, userId: string): Promise<GuildMember | null> {
  return nullOnDiscordError(["UnknownMember"], guild.members.fetch({ user: userId, force: true }));
}
