import type { Client, Guild, GuildBasedChannel } from "discord.js";
import { eventKey } from "../../core/events/event-key.ts";
import type { InboundSurface } from "../../core/platform/inbound.ts";

/** Servers that the bot joined since this time, perhaps while the program was down. In milliseconds since the epoch. */
export function guildsJoined(client: Client<true>, since: number): readonly (InboundSurface | null)[] {
  return client.guilds.cache.filter(({ joinedTimestamp }) => joinedTimestamp >= since).map(guildJoined);
}

/** An event for the channel in which the bot introduces itself; null if it cannot write in any. */
export function guildJoined(guild: Guild): InboundSurface | null {
  const channel = channelFor(guild);
  if (channel === null) return null;
  const { user } = guild.client;
  return {
    kind: "surface",
    surface: "channel",
    key: eventKey("discord", "joined", guild.id, guild.joinedTimestamp),
    workspace: { id: guild.id, name: guild.name },
    channel: { id: channel.id, name: channel.name, kind: "channel" },
    thread: { platform: "discord", workspaceId: guild.id, channelId: channel.id, threadId: null },
    // Discord does not say who added the bot.
    person: {
      id: `discord:${user.id}`,
      name: user.username,
      isBot: true,
      isGuest: false,
      isExternal: false,
      roles: [],
    },
    at: guild.joinedTimestamp,
  };
}

/** The channel in which Discord greets new members, or else the first text channel. */
function channelFor(guild: Guild): GuildBasedChannel | null {
  const { me } = guild.members;
  const isOpen = (channel: GuildBasedChannel) =>
    me !== null && channel.permissionsFor(me).has(["ViewChannel", "SendMessages"]);
  const position = (channel: GuildBasedChannel) => ("rawPosition" in channel ? channel.rawPosition : 0);
  const texts = guild.channels.cache.filter((each) => each.isTextBased() && !each.isThread() && !each.isVoiceBased());
  const inOrder = [...texts.values()].toSorted((a, b) => position(a) - position(b));
  const candidates = guild.systemChannel === null ? inOrder : [guild.systemChannel, ...inOrder];
  return candidates.find(isOpen) ?? null;
}
