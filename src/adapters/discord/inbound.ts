import { ApplicationCommandType, InteractionType, MessageFlags, MessageType } from "discord.js";
import { eventKey } from "../../core/events/event-key.ts";
import { ABOUT_MESSAGE } from "../../core/inbound/prompts.ts";
import type { InboundAction, InboundCommand, InboundMessage } from "../../core/platform/inbound.ts";
import type { Person, ThreadRef } from "../../core/platform/thread.ts";
import { UNREAD } from "../render/read-message.ts";
import { commandArguments } from "./interactions/command-arguments.ts";
import { filesOf } from "./message/files.ts";
import type { WireMessage } from "./message/message-schema.ts";
import { displayName, isGuest, type WireMember, type WireUser } from "./message/person-schema.ts";
import { describedFileLines, quoteOf, readMessage } from "./message/read-message.ts";
import type { Names } from "./message/text.ts";
import { timeOf } from "./snowflake.ts";
import type { WireInteraction, WireInteractionOf } from "./wire.ts";

/** The place of an event, looked up because an event names only its channel's id. */
export interface ChannelContext {
  readonly workspace: InboundMessage["workspace"];
  /** The channel; for a thread, the channel that contains it. */
  readonly channel: InboundMessage["channel"];
  /** The thread's id; null outside of threads. */
  readonly threadId: string | null;
  /** Whether messages here can open threads. False in threads, direct messages and voice channels. */
  readonly opensThreads: boolean;
  /** Title and tags of a forum post. */
  readonly topic?: string;
}

/** A person's message as an event; null for messages of bots and webhooks, and for system messages. */
export function inboundMessage(
  message: WireMessage,
  place: ChannelContext,
  { names, serves }: ReadScope,
): InboundMessage | null {
  if (!isFromPerson(message)) return null;
  const who = toPerson(message.author, message.member);
  const thread = threadOf(place, message.id);
  const addressed = addressedOf(message, place, names);
  const isRead = serves(who);
  const { text, quoted, files } = isRead ? readMessage(message, names) : UNREAD;
  const topic = place.topic === undefined || message.id !== place.threadId ? [] : [place.topic];
  return {
    kind: "message",
    key: messageKey(message.id),
    ...locationOf(place, thread),
    person: who,
    at: timeOf(message.id),
    text,
    addressed,
    opensThread: addressed === "mention" && thread.threadId === message.id,
    attachments: files,
    quoted: [...topic, ...quoted, ...(isRead ? describedFileLines(message) : [])],
    messageId: message.id,
    ...repliesTo(message),
  };
}

/** What is needed for reading messages. */
export interface ReadScope {
  readonly names: Names;
  /** Whether the bot answers this person; if not, their messages are not read. */
  readonly serves: (person: Person) => boolean;
}

/** The id of the message that this one replies to. Forwards have a reference as well, but are not replies. */
function repliesTo({ type, referenced_message: answered }: WireMessage): Pick<InboundMessage, "repliesTo"> {
  const isReply = type === MessageType.Reply && answered !== null && answered !== undefined;
  return isReply ? { repliesTo: answered.id } : {};
}

/** A click on a button; null if a person is not named. */
export function inboundAction(
  interaction: WireInteractionOf<InteractionType.MessageComponent>,
  place: ChannelContext,
): InboundAction | null {
  const who = actorOf(interaction);
  if (who === null) return null;
  return {
    kind: "action",
    key: interactionKey(interaction),
    ...locationOf(place, threadOf(place, rootIn(interaction.message))),
    person: who,
    at: timeOf(interaction.id),
    action: interaction.data.custom_id,
  };
}

/** Who pointed out a message, when, and by which event. */
export interface MessageTrigger {
  readonly key: string;
  readonly person: Person;
  readonly at: number;
}

/** A request about a message that somebody pointed out, to be answered in its thread. */
export function inboundAboutMessage(
  message: WireMessage,
  trigger: MessageTrigger,
  context: MessageContext,
): InboundMessage {
  const { place, names, serves } = context;
  const { referenced_message: answered } = message;
  const isRead = serves(trigger.person);
  const quotes = isRead ? [message, ...(answered ? [answered] : [])].map((one) => quoteOf(one, names)) : [];
  return {
    kind: "message",
    ...trigger,
    ...locationOf(place, threadOf(place, message.id)),
    text: ABOUT_MESSAGE,
    addressed: place.channel.kind === "dm" ? "dm" : "mention",
    opensThread: false,
    attachments: isRead ? filesOf(message) : [],
    quoted: quotes,
    messageId: message.id,
  };
}

export interface MessageContext extends ReadScope {
  readonly place: ChannelContext;
}

/** A use of the command in a message's menu; null if it is another command, or not a person's. */
export function inboundMenuCommand(interaction: WireInteraction, context: MessageContext): InboundMessage | null {
  const who = actorOf(interaction);
  if (
    who === null ||
    interaction.type !== InteractionType.ApplicationCommand ||
    interaction.data.type !== ApplicationCommandType.Message
  )
    return null;
  const { target_id, resolved } = interaction.data;
  const message = resolved.messages[target_id];
  if (message === undefined) return null;
  return inboundAboutMessage(
    message,
    { key: interactionKey(interaction), person: who, at: timeOf(interaction.id) },
    context,
  );
}

/** A slash command. In a channel there is no message to start a thread from; the reply opens one. */
export function inboundCommand(
  interaction: WireInteractionOf<InteractionType.ApplicationCommand>,
  place: ChannelContext,
): InboundCommand | null {
  const who = actorOf(interaction);
  if (who === null || interaction.data.type === ApplicationCommandType.Message) return null;
  return {
    kind: "command",
    key: interactionKey(interaction),
    ...locationOf(place, threadOf(place, null)),
    person: who,
    at: timeOf(interaction.id),
    name: interaction.data.name,
    args: commandArguments(interaction.data.options),
  };
}

export function isFromPerson(message: WireMessage): boolean {
  const isWritten = message.type === MessageType.Default || message.type === MessageType.Reply;
  return isWritten && message.author.bot !== true && (message.webhook_id ?? null) === null;
}

export function locationOf(place: ChannelContext, thread: ThreadRef) {
  return { workspace: place.workspace, channel: place.channel, thread };
}

/** The message that can have a thread. A private message cannot, so a click in one opens a new thread. */
export function rootIn(message: { readonly id: string; readonly flags: number } | null | undefined): string | null {
  return message === null || message === undefined || (message.flags & MessageFlags.Ephemeral) !== 0
    ? null
    : message.id;
}

/** A thread started from a message has that message's id. */
export function threadOf(place: ChannelContext, messageId: string | null): ThreadRef {
  return {
    platform: "discord",
    workspaceId: place.workspace.id,
    channelId: place.channel.id,
    threadId: place.threadId ?? (place.opensThreads ? messageId : null),
  };
}

/** Code, and `<` after a backslash: mentions in them do not count. */
const NOT_MEANT = /(`{1,3})[^]*?\1|\\</gu;

function addressedOf(message: WireMessage, place: ChannelContext, names: Names): InboundMessage["addressed"] {
  if (place.channel.kind === "dm") return "dm";
  const named =
    message.mentions.some((mention) => mention.id === names.botId) ||
    message.content.replaceAll(NOT_MEANT, "").includes(`<@${names.botId}>`) ||
    message.mention_roles.some((role) => names.isBotRole(role));
  if (named) return "mention";
  if (isVoiceChat(place)) return message.referenced_message?.author.id === names.botId ? "mention" : "other";
  if (/^\s*<@[!&]?\d+>/u.test(message.content)) return "other";
  return isReplyToSomeoneElse(message) ? "other" : "none";
}

/** Whether this is the chat of a voice or stage channel. It has no threads, and people there talk to each other. */
function isVoiceChat({ channel, opensThreads, threadId }: ChannelContext): boolean {
  return channel.kind !== "dm" && !opensThreads && threadId === null;
}

/** A reply that notifies its author is addressed to them, although the text does not say so. */
function isReplyToSomeoneElse(message: WireMessage): boolean {
  const author = message.referenced_message?.author;
  if (message.type !== MessageType.Reply || author === undefined || author.id === message.author.id) return false;
  return message.mentions.some((mention) => mention.id === author.id);
}

export function actorOf(interaction: WireInteraction): Person | null {
  const user = interaction.member?.user ?? interaction.user;
  return user === undefined || user.bot === true ? null : toPerson(user, interaction.member);
}

/** `member` is undefined for a person who is in none of the servers, and so a guest: they have left, or never joined. */
export function toPerson(user: WireUser, member: WireMember | undefined): Person {
  return {
    id: `discord:${user.id}`,
    name: displayName(user, member),
    isBot: user.bot === true,
    isGuest: member === undefined || isGuest(member),
    isExternal: false,
    roles: (member?.roles ?? []).map((role) => `discord:role:${role}`),
  };
}

export function messageKey(id: string): string {
  return eventKey("discord", id);
}

/** The event key of a click, a command, a form or a completion. */
export function interactionKey({ id }: { readonly id: string }): string {
  return eventKey("discord", "interaction", id);
}
