import { eventKey } from "../../core/events/event-key.ts";
import { nullOnDiscordError } from "./errors.ts";
import { MESSAGE_GONE } from "./history.ts";
import { inboundAboutMessage, toPerson } from "./inbound.ts";
import type { WireMember, WireUser } from "./message/person-schema.ts";
import { type DiscordScope, expectThread, type Received, sendPrivateAnswer, untilReceived } from "./messages.ts";
import { reactionSchema, type WireReaction } from "./wire.ts";

/** Handles reactions that point out messages to the bot; ignores others, and those on the bot's own messages. */
export function createReactions(options: DiscordScope): (data: unknown) => Promise<void> {
  const { channels, reactions, clock } = options;
  return async (data) => {
    const reaction = reactionSchema.safeParse(data).data;
    if (reaction === undefined || !reactions.has(reaction.emoji.name ?? "")) return;
    const { botId } = channels.names;
    if (reaction.user_id === botId || reaction.message_author_id === botId) return;
    const at = clock.now();
    const received = await untilReceived(options, reaction.message_id, () => receiveOnce(options, reaction, at));
    if (received !== null) await sendPrivateAnswer(options, received);
  };
}

/** Null if the message is gone or the bot's own, or the reaction another bot's. */
async function receiveOnce(options: DiscordScope, reaction: WireReaction, at: number): Promise<Received | null> {
  const { channels, rest, namesIn, receive } = options;
  const { channel_id, message_id, emoji, user_id } = reaction;
  const asked = nullOnDiscordError(MESSAGE_GONE, rest.message(channel_id, message_id));
  const [message, who] = await Promise.all([asked, whoReacted(options, reaction)]);
  if (message === null || message.author.id === channels.names.botId || who.user.bot === true) return null;
  const place = await channels.of(channel_id, reaction.guild_id ?? undefined);
  const key = eventKey("discord", "reaction", channel_id, message_id, emoji.name, user_id);
  const trigger = { key, person: toPerson(who.user, who.member), at };
  const names = await namesIn([message], reaction.guild_id ?? undefined);
  const event = inboundAboutMessage(message, trigger, { place, names, serves: channels.serves });
  expectThread(options, place, event);
  return { event, receipt: await receive(event) };
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
