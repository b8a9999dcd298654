import type {
  Attachment,
  InboundAction,
  InboundCommand,
  InboundMessage,
  Person,
  ThreadMessage,
  ThreadRef,
} from "../../core/protocol/platform.ts";
import { ABOUT_MESSAGE } from "../../core/sessions/prompts.ts";
import { commandArguments } from "./command-arguments.ts";
import { EPHEMERAL, withoutMark } from "./format.ts";
import { timeOf } from "./snowflake.ts";
import {
  MESSAGE_COMMAND,
  MESSAGE_TYPE,
  type PlainWireMessage,
  type WireAttachment,
  type WireEmbed,
  type WireInteraction,
  type WireMember,
  type WireMention,
  type WireMessage,
  type WireUser,
} from "./wire.ts";

/** Where something happened, as the channel says: an event names its channel's id only. */
export interface Place {
  readonly workspace: InboundMessage["workspace"];
  /** Of a thread: the channel it hangs in. */
  readonly channel: InboundMessage["channel"];
  /** Set when the place is a thread. */
  readonly threadId: string | null;
  /** Messages here can have threads of their own: not in threads, direct messages and voice channels. */
  readonly opensThreads: boolean;
}

/** What ids in texts are called, and which of them mean the bot. */
export interface Names {
  readonly botId: string;
  /** The role that belongs to the bot; people pick it by mistake when they want to mention the bot. */
  isBotRole(roleId: string): boolean;
  role(roleId: string): string | undefined;
  channel(channelId: string): string | undefined;
}

/** A person's message; null for everything nobody wrote to be answered: bots, webhooks, Discord's own notices. */
export function inboundMessage(message: WireMessage, place: Place, names: Names): InboundMessage | null {
  if (!isPersons(message)) return null;
  const thread = threadOf(place, message.id);
  const addressed = addressing(message, place, names);
  return {
    kind: "message",
    key: `discord:${message.id}`,
    ...whereabouts(place, thread),
    person: person(message.author, message.member),
    at: timeOf(message.id),
    text: withoutBot(message, names),
    addressed,
    opensThread: addressed === "mention" && thread.threadId === message.id,
    attachments: attachmentsOf(message),
    quoted: quotedIn(message, names),
    messageId: message.id,
    ...repliesTo(message),
  };
}

/** A forward has a message that it refers to, too. */
function repliesTo({ type, referenced_message: answered }: WireMessage): Pick<InboundMessage, "repliesTo"> {
  const isReply = type === MESSAGE_TYPE.reply && answered !== null && answered !== undefined;
  return isReply ? { repliesTo: answered.id } : {};
}

/** A click on a button. */
export function inboundAction(interaction: Extract<WireInteraction, { type: 3 }>, place: Place): InboundAction | null {
  const who = whoActed(interaction);
  if (who === null) return null;
  return {
    kind: "action",
    key: `discord:interaction:${interaction.id}`,
    ...whereabouts(place, threadOf(place, rootIn(interaction.message))),
    person: who,
    at: timeOf(interaction.id),
    action: interaction.data.custom_id,
  };
}

/** How somebody pointed a message out to us. */
export interface Pointing {
  readonly key: string;
  readonly person: Person;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What is asked about a message that somebody pointed out, in its thread. */
export function pointedMessage(message: WireMessage, pointing: Pointing, { place, names }: Seen): InboundMessage {
  return {
    kind: "message",
    ...pointing,
    ...whereabouts(place, threadOf(place, message.id)),
    text: ABOUT_MESSAGE,
    addressed: place.channel.kind === "dm" ? "dm" : "mention",
    opensThread: false,
    attachments: attachmentsOf(message),
    quoted: [
      `${displayName(message.author, message.member)} wrote: ${withoutBot(message, names)}`,
      ...quotedIn(message, names),
    ],
    messageId: message.id,
  };
}

export interface Seen {
  readonly place: Place;
  readonly names: Names;
}

/** The command of a message's menu; null from nobody. */
export function inboundMenuCommand(interaction: WireInteraction, seen: Seen): InboundMessage | null {
  const who = whoActed(interaction);
  if (who === null || interaction.type !== 2 || interaction.data.type !== MESSAGE_COMMAND) return null;
  const { target_id, resolved } = interaction.data;
  const message = resolved.messages[target_id];
  if (message === undefined) return null;
  return pointedMessage(
    message,
    { key: `discord:interaction:${interaction.id}`, person: who, at: timeOf(interaction.id) },
    seen,
  );
}

/** A slash command. In a channel it has no message that a thread could be made from: its reply opens one. */
export function inboundCommand(
  interaction: Extract<WireInteraction, { type: 2 }>,
  place: Place,
): InboundCommand | null {
  const who = whoActed(interaction);
  if (who === null || interaction.data.type === MESSAGE_COMMAND) return null;
  return {
    kind: "command",
    key: `discord:interaction:${interaction.id}`,
    ...whereabouts(place, threadOf(place, null)),
    person: who,
    at: timeOf(interaction.id),
    name: interaction.data.name,
    args: commandArguments(interaction.data.options),
  };
}

/** A message of any author as the history of its thread shows it; null for Discord's own notices. */
export function threadMessage(message: WireMessage, names: Names): ThreadMessage | null {
  if (message.type === MESSAGE_TYPE.threadStarter) {
    const started = message.referenced_message;
    return started === null || started === undefined ? null : threadMessage(started, names);
  }
  if (!isWritten(message)) return null;
  const files = message.attachments.map((attachment) => `[file: ${attachment.filename}]`);
  const text = [withoutBot(message, names), ...quotedIn(message, names), ...files].filter((part) => part !== "");
  return {
    messageId: message.id,
    author: {
      id: `discord:${message.author.id}`,
      name: displayName(message.author, message.member),
      isBot: message.author.bot === true,
    },
    text: text.join("\n"),
    at: timeOf(message.id),
  };
}

function isWritten(message: PlainWireMessage): boolean {
  return message.type === MESSAGE_TYPE.default || message.type === MESSAGE_TYPE.reply;
}

function isPersons(message: WireMessage): boolean {
  return isWritten(message) && message.author.bot !== true && (message.webhook_id ?? null) === null;
}

export function whereabouts(place: Place, thread: ThreadRef) {
  return { workspace: place.workspace, channel: place.channel, thread };
}

/** What only one person sees is no message that a thread could hang at: what comes of a click opens one. */
export function rootIn(message: { readonly id: string; readonly flags: number } | null | undefined): string | null {
  return message === null || message === undefined || (message.flags & EPHEMERAL) !== 0 ? null : message.id;
}

/** A message that may open a thread has the thread's id already. */
export function threadOf(place: Place, messageId: string | null): ThreadRef {
  return {
    platform: "discord",
    workspaceId: place.workspace.id,
    channelId: place.channel.id,
    threadId: place.threadId ?? (place.opensThreads ? messageId : null),
  };
}

function addressing(message: WireMessage, place: Place, names: Names): InboundMessage["addressed"] {
  if (place.channel.kind === "dm") return "dm";
  const named =
    message.mentions.some((mention) => mention.id === names.botId) ||
    message.content.includes(`<@${names.botId}>`) ||
    message.mention_roles.some((role) => names.isBotRole(role));
  if (named) return "mention";
  if (/^\s*<@[!&]?\d+>/u.test(message.content)) return "other";
  return isReplyToSomeoneElse(message) ? "other" : "none";
}

/** A reply that notifies its author addresses them, although its text does not say so. */
function isReplyToSomeoneElse(message: WireMessage): boolean {
  const author = message.referenced_message?.author;
  if (message.type !== MESSAGE_TYPE.reply || author === undefined || author.id === message.author.id) return false;
  return message.mentions.some((mention) => mention.id === author.id);
}

/** The text with the bot's mention left out and everything else that has an id called by its name. */
function withoutBot(message: WireMessage, names: Names): string {
  const content = withoutMark(message.content)
    .replaceAll(/[ \t]?<@[!&]?(\d+)>/gu, (mention, id: string) =>
      id === names.botId || (mention.includes("&") && names.isBotRole(id)) ? "" : mention,
    )
    .trim();
  return named(content, message.mentions, names);
}

function named(content: string, mentions: readonly WireMention[], names: Names): string {
  return content
    .replaceAll(/<@!?(\d+)>/gu, (_mention, id: string) => {
      const mentioned = mentions.find((mention) => mention.id === id);
      return `@${mentioned === undefined ? id : displayName(mentioned, mentioned.member)}`;
    })
    .replaceAll(/<@&(\d+)>/gu, (_mention, id: string) => `@${names.role(id) ?? id}`)
    .replaceAll(/<#(\d+)>/gu, (_mention, id: string) => `#${names.channel(id) ?? id}`)
    .replaceAll(/<a?(:\w+:)\d+>/gu, "$1")
    .replaceAll(/<(\/[^:>]+):\d+>/gu, "$1");
}

/** Replies, forwards, previews, polls and stickers: what came with the message and is not its text. */
function quotedIn(message: WireMessage, names: Names): string[] {
  const quoted: string[] = [];
  const { referenced_message: replied } = message;
  if (replied !== null && replied !== undefined) {
    const said = [named(withoutMark(replied.content), replied.mentions, names), ...replied.embeds.map(embedText)];
    quoted.push(
      `${displayName(replied.author, replied.member)} wrote: ${said.filter((part) => part !== "").join("\n")}`,
    );
  }
  for (const { message: forwarded } of message.message_snapshots ?? []) {
    const said = [named(forwarded.content, forwarded.mentions, names), ...forwarded.embeds.map(embedText)];
    quoted.push(`Forwarded: ${said.filter((part) => part !== "").join("\n")}`);
  }
  quoted.push(...message.embeds.map(embedText));
  if (message.poll !== null && message.poll !== undefined) {
    const answers = message.poll.answers.map((answer) => `- ${answer.poll_media.text ?? ""}`);
    quoted.push([`Poll: ${message.poll.question.text ?? ""}`, ...answers].join("\n"));
  }
  quoted.push(...(message.sticker_items ?? []).map((sticker) => `[sticker: ${sticker.name}]`));
  return quoted.filter((text) => text !== "");
}

function embedText(embed: WireEmbed): string {
  const fields = (embed.fields ?? []).map((field) => `${field.name}: ${field.value}`);
  const parts = [embed.author?.name, embed.title, embed.url, embed.description, ...fields, embed.footer?.text];
  return parts.filter((part) => typeof part === "string" && part !== "").join("\n");
}

/** Files of the message and of what it forwards. A forwarded file's URL cannot be renewed through this message. */
function attachmentsOf(message: WireMessage): Attachment[] {
  const own = message.attachments.map((file) => attachment(file, `${message.channel_id}/${message.id}/${file.id}`));
  const forwarded = (message.message_snapshots ?? []).flatMap((snapshot) => snapshot.message.attachments);
  return [...own, ...forwarded.map((file) => attachment(file, ""))];
}

/** `ref` is the file's URL, which expires after a day, and after # where a fresh one can be had. */
function attachment(file: WireAttachment, source: string): Attachment {
  return {
    name: file.filename,
    mediaType: file.content_type ?? "application/octet-stream",
    size: file.size,
    ref: `${file.url}#${source}`,
  };
}

export function whoActed(interaction: WireInteraction): Person | null {
  const user = interaction.member?.user ?? interaction.user;
  return user === undefined || user.bot === true ? null : person(user, interaction.member);
}

export function person(user: WireUser, member: WireMember | undefined): Person {
  return {
    id: `discord:${user.id}`,
    name: displayName(user, member),
    isBot: user.bot === true,
    isGuest: member?.pending === true,
    isExternal: false,
    roles: (member?.roles ?? []).map((role) => `discord:role:${role}`),
  };
}

/** What people see as the name: the server's, the person's own, the account's. */
function displayName(user: WireUser, member: WireMember | undefined): string {
  return member?.nick ?? user.global_name ?? user.username;
}
