import type { Client } from "discord.js";
import { cacheAnswers } from "../../core/answer-cache.ts";
import type { MissedQuery } from "../../core/platform/chat-platform.ts";
import type { InboundMessage } from "../../core/platform/inbound.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { DM_WORKSPACE } from "./channels.ts";
import { inboundMessage, isFromPerson } from "./inbound.ts";
import { CLOCK_SKEW_MS, MISSED_CHANNELS, MISSED_MESSAGES } from "./limits.ts";
import { memberOf } from "./members.ts";
import type { WireMessage } from "./message/message-schema.ts";
import { withReferencedMessage } from "./message/referenced-message.ts";
import type { DiscordScope } from "./messages.ts";
import { idAt } from "./snowflake.ts";

/** Messages that people wrote since in channels, active threads and known direct messages, oldest first; bounded. */
export async function missedMessages(
  options: DiscordScope,
  { since, known, signal }: MissedQuery,
): Promise<readonly InboundMessage[]> {
  const after = idAt(since - CLOCK_SKEW_MS);
  const memberIn = createMemberLookup(options);
  const events: InboundMessage[] = [];
  for (const { id, guildId } of [...activeSince(options.client, after), ...directOf(known)]) {
    signal.throwIfAborted();
    const place = await options.channels.of(id, guildId);
    for (const read of (await messagesAfter(options, id, after)).filter(isFromPerson)) {
      const message = await withReferencedMessage(read, options);
      const { id: author } = message.author;
      const member = await (guildId === undefined ? options.memberAcrossGuilds(author) : memberIn(guildId, author));
      const names = await options.namesIn([message], guildId);
      const event = inboundMessage({ ...message, member }, place, { ...options.channels, names });
      if (event === null) continue;
      if (event.opensThread && place.threadId === null) options.threads.expect(event);
      events.push(event);
    }
  }
  return events.sort((a, b) => (BigInt(a.messageId) < BigInt(b.messageId) ? -1 : 1));
}

interface ActiveChannel {
  readonly id: string;
  readonly guildId: string;
  readonly lastMessageId: string;
}

/** Channels of known direct messages, which belong to no server. */
function directOf(known: readonly ThreadRef[]): { readonly id: string; readonly guildId: undefined }[] {
  const direct = known.filter(({ workspaceId }) => workspaceId === DM_WORKSPACE.id);
  return [...new Set(direct.map(({ channelId }) => channelId))].map((id) => ({ id, guildId: undefined }));
}

/** Channels with newer messages, most recently active first. */
function activeSince(client: Client<true>, after: string): readonly ActiveChannel[] {
  const active = client.channels.cache
    .map((channel): ActiveChannel | null => {
      if (channel.isDMBased() || !channel.isTextBased() || channel.lastMessageId === null) return null;
      return { id: channel.id, guildId: channel.guildId, lastMessageId: channel.lastMessageId };
    })
    .filter((channel) => channel !== null)
    .filter((channel) => BigInt(channel.lastMessageId) > BigInt(after));
  return active.sort((a, b) => (BigInt(a.lastMessageId) < BigInt(b.lastMessageId) ? 1 : -1)).slice(0, MISSED_CHANNELS);
}

/** Messages of a channel, oldest first; none if the bot may not read it. */
async function messagesAfter({ rest, log }: DiscordScope, channelId: string, after: string): Promise<WireMessage[]> {
  try {
    return (await rest.messages(channelId, { limit: MISSED_MESSAGES, after })).toReversed();
  } catch (error) {
    log.warn({ err: error, channelId }, "discord.missed_unreadable");
    return [];
  }
}

/** How long, in milliseconds, and how many members are cached. */
const MEMBER_CACHE = { forMs: 10 * 60_000, most: MISSED_MESSAGES };

/** Looks up members, because messages read over REST lack their authors' roles. Rejects if a lookup fails. */
function createMemberLookup({ rest, clock }: DiscordScope) {
  const ask = async (guildId: string, userId: string) => (await memberOf(rest, guildId, userId)) ?? undefined;
  return cacheAnswers(ask, { ...MEMBER_CACHE, clock });
}
