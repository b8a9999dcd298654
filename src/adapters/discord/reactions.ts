import { eventKey } from "../../core/events/event-key.ts";
import { nullOnDiscordError } from "./errors.ts";
import { MESSAGE_GONE } from "./history.ts";
import { inboundAboutMessage, toPerson } from "./inbound.ts";
import type { WireMember, WireUser } from "./message/person-schema.ts";
import { type DiscordScope, sendPrivateAnswer } from "./messages.ts";
import { reactionSchema, type WireReaction } from "./wire.ts";

/** Handles reactions that point out messages to the bot; ignores others, and those on the bot's own messages. */
export function createReactions(options: DiscordScope): (data: unknown) => Promise<void> {
  const { channels, threads, reactions, clock } = options;
  return async (data) => {
    const reaction = reactionSchema.safeParse(data).data;
    if (reaction === undefined || !reactions.has(reaction.emoji.name ?? "")) return;
    const { botId } = channels.names;
    if (reaction.user_id === botId || reaction.message_author_id === botId) return;
    const { channel_id, message_id, emoji, user_id } = reaction;
    const asked = options.rest.message(channel_id, message_id);
    const [message, who] = await Promise.all([nullOnDiscordError(MESSAGE_GONE, asked), whoReacted(options, reaction)]);
    if (message === null || message.author.id === botId || who.user.bot === true) return;
    const place = await channels.of(channel_id, reaction.guild_id ?? undefined);
    const key = eventKey("discord", "reaction", channel_id, message_id, emoji.name, user_id);
    const trigger = { key, person: toPerson(who.user, who.member), at: clock.now() };
    const names = await options.namesIn([message], reaction.guild_id ?? undefined);
    const event = inboundAboutMessage(message, trigger, { place, names, serves: channels.serves });
    if (place.opensThreads) threads.expect({ ...event, text: event.quoted.join("\n") });
    await sendPrivateAnswer(options, { event, receipt: await options.receive(event) });
  };
}

/** In direct messages, a reaction has only the person's id. */
async function whoReacted(
  { rest, memberAcrossGuilds }: DiscordScope,
  { member, user_id: id }: WireReaction,
): Promise<{ readonly user: WireUser; readonly member: WireMember | undefined }> {
  if (member !== undefined) return { user: member.user, member };
  const [user, everywhere] = await Promise.all([rest.user(id), memberAcrossGuilds(id)]);
  return { user, member: everywhere };
}
