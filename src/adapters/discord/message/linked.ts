import type { LinkingMessage, Membership } from "../../../core/platform/chat-platform.ts";
import type { ThreadRef } from "../../../core/platform/thread.ts";
import { type Channels, DM_WORKSPACE } from "../channels.ts";
import type { DiscordRest } from "../rest.ts";
import type { WireMessage } from "./message-schema.ts";
import type { NamesIn } from "./named-people.ts";
import { datedQuoteOf } from "./read-message.ts";

export interface LinkedScope {
  readonly rest: Pick<DiscordRest, "message">;
  readonly channels: Channels;
  readonly namesIn: NamesIn;
  /** How a person relates to a channel or a thread; null if the bot cannot see it. */
  readonly membership: (place: ThreadRef, personId: string) => Promise<Membership | null>;
}

export interface LinkedMessage {
  readonly text: string;
  readonly message: WireMessage;
}

/** Maximum number of linked messages read for one message. */
const MAX_LINKED = 3;
/** Source: Discord's clients, Copy Message Link. */
const MESSAGE_LINK =
  /https:\/\/(?:(?:ptb|canary)\.)?discord(?:app)?\.com\/channels\/(\d{1,20})\/(\d{1,20})\/(\d{1,20})/gu;

/** The messages that a message links to, if its author and everybody who reads the answer may read them. */
export async function linkedMessages(of: LinkingMessage, scope: LinkedScope): Promise<readonly LinkedMessage[]> {
  const links = [...of.text.matchAll(MESSAGE_LINK)].slice(0, MAX_LINKED);
  const read = links.map(([, guildId = "", channelId = "", id = ""]) => linked({ guildId, channelId, id }, of, scope));
  // A linked message that cannot be read is gone, or hidden from the bot; only its link remains.
  const found = await Promise.allSettled(read);
  return found.flatMap((each) => (each.status === "fulfilled" && each.value !== null ? [each.value] : []));
}

interface Link {
  readonly guildId: string;
  readonly channelId: string;
  readonly id: string;
}

async function linked(
  { guildId, channelId, id }: Link,
  { thread, author }: LinkingMessage,
  { rest, channels, namesIn, membership }: LinkedScope,
): Promise<LinkedMessage | null> {
  const isDirect = thread.workspaceId === DM_WORKSPACE.id;
  if (!isDirect && guildId !== thread.workspaceId) return null;
  const place = await channels.of(channelId, guildId);
  const there = { ...thread, workspaceId: guildId, channelId: place.channel.id, threadId: place.threadId };
  const found = await membership(there, author.id);
  const isOpen = isDirect || found?.isPrivate === false || isWithin(there, thread);
  if (found?.isMember !== true || !isOpen) return null;
  const message = await rest.message(channelId, id);
  const names = await namesIn([message], guildId);
  const name = names.channel(channelId);
  return { message, text: `${name === undefined ? "" : `In #${name}, `}${datedQuoteOf(message, names)}` };
}

/** Whether everybody who reads the thread can also read the linked place. */
function isWithin(there: ThreadRef, { channelId, threadId }: ThreadRef): boolean {
  return there.channelId === channelId && (there.threadId === null || there.threadId === threadId);
}
