import {
  ChannelType,
  type Client,
  type GuildChannel,
  type GuildMember,
  PermissionFlagsBits,
  type ThreadChannel,
} from "discord.js";
import type { Membership, ThreadRef } from "../../core/protocol/platform.ts";
import { isDiscordError, toPlatformError, unlessDiscord } from "./errors.ts";
import { IS_OBFUSCATED } from "./wire.ts";

/** Where: a channel, or one of its threads; and who. */
type Asked = Omit<ThreadRef, "platform"> & { readonly userId: string };

/**
 * How a person and the bot stand to a channel of a server, to a thread of it, or to direct messages; null where the bot does
 * not see it.
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
    if ((channel.flags.bitfield & IS_OBFUSCATED) !== 0) return null;
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
    if (isDiscordError(error, "unknownChannel", "missingAccess")) return null;
    throw toPlatformError(error, "View Channel");
  }
}

const VIEW = PermissionFlagsBits.ViewChannel;

/** A thread of the channel; undefined where there is none, as the bot sees it. */
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

/** Whether somebody sees a private thread: who is in it, or looks after threads. */
async function isInvited({ thread, channel, member }: Invited): Promise<boolean> {
  if (channel.permissionsFor(member).has(PermissionFlagsBits.ManageThreads)) return true;
  return (await unlessDiscord(["unknownMember"], thread.members.fetch({ member: member.id, force: true }))) !== null;
}

/** As Discord knows them now: it does not tell the bot of changed roles. Null for who is not on the server. */
function memberOf({ guild }: GuildChannel, userId: string): Promise<GuildMember | null> {
  return unlessDiscord(["unknownMember"], guild.members.fetch({ user: userId, force: true }));
}
