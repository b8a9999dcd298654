import { type Client, type GuildChannel, type GuildMember, PermissionFlagsBits } from "discord.js";
import type { Membership, ThreadRef } from "../../core/protocol/platform.ts";
import { isDiscordError, toPlatformError } from "./errors.ts";

/** How a person and the bot stand to a channel of a server, or of direct messages; null where the bot does not see it. */
export async function membershipIn(
  client: Client<true>,
  { channelId, workspaceId, userId }: Pick<ThreadRef, "channelId" | "workspaceId"> & { readonly userId: string },
): Promise<Membership | null> {
  try {
    const channel = await client.channels.fetch(channelId);
    if (channel === null) return null;
    if (channel.isDMBased())
      return { isPrivate: true, isMember: "recipientId" in channel && channel.recipientId === userId, canPost: true };
    if (channel.isThread() || !("permissionOverwrites" in channel) || channel.guildId !== workspaceId) return null;
    const { guild } = channel;
    const me = guild.members.me ?? (await guild.members.fetchMe());
    const member = await memberOf(channel, userId);
    return {
      isPrivate: !channel.permissionsFor(guild.roles.everyone).has(VIEW),
      isMember: member !== null && channel.permissionsFor(member).has(VIEW),
      canPost: channel.permissionsFor(me).has([VIEW, PermissionFlagsBits.SendMessages]),
    };
  } catch (error) {
    if (isDiscordError(error, "unknownChannel", "missingAccess")) return null;
    throw toPlatformError(error, "View Channel");
  }
}

const VIEW = PermissionFlagsBits.ViewChannel;

/** As Discord knows them now: it does not tell the bot of changed roles. Null for who is not on the server. */
async function memberOf({ guild }: GuildChannel, userId: string): Promise<GuildMember | null> {
  try {
    return await guild.members.fetch({ user: userId, force: true });
  } catch (error) {
    if (isDiscordError(error, "unknownMember")) return null;
    throw error;
  }
}
