import { eventKey } from "../../core/events/event-key.ts";
import { unlessDiscord } from "./errors.ts";
import { NOT_THERE } from "./history.ts";
import { person, pointedMessage } from "./inbound.ts";
import type { WireMember, WireUser } from "./message/person-schema.ts";
import { type DiscordScope, tell } from "./messages.ts";
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
    const [message, who] = await Promise.all([unlessDiscord(NOT_THERE, asked), whoReacted(options, reaction)]);
    if (message === null || message.author.id === botId || who.user.bot === true) return;
    const place = await channels.of(channel_id, reaction.guild_id ?? undefined);
    const key = eventKey("discord", "reaction", channel_id, message_id, emoji.name, user_id);
    const pointing = { key, person: person(who.user, who.member), at: clock.now() };
    const names = await options.namesIn([message], reaction.guild_id ?? undefined);
    const event = pointedMessage(message, pointing, { place, names, serves: channels.serves });
    if (place.opensThreads) threads.expect({ ...event, text: event.quoted.join("\n") });
    await tell(options, { event, receipt: await options.receive(event) });
  };
}

/** In direct messages, a reaction has only the person's id. */
async function whoReacted(
  { rest, memberEverywhere }: DiscordScope,
  { member, user_id: id }: WireReaction,
): Promise<{ readonly user: WireUser; readonly member: WireMember | undefined }> {
  if (member !== undefined) return { user: member.user, member };
  const [user, everywhere] = await Promise.all([rest.user(id), memberEverywhere(id)]);
  return { user, member: everywhere };
}
