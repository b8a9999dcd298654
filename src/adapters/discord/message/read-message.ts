import { MessageFlags, MessageType } from "discord.js";
import type { ThreadMessage } from "../../../core/platform/chat-platform.ts";
import { counted } from "../../../core/text/counted.ts";
import type { ReadMessage } from "../../render/read-message.ts";
import { timeOf } from "../snowflake.ts";
import { componentsText } from "./components.ts";
import { embedText } from "./embeds.ts";
import { filesOf } from "./files.ts";
import type { PlainWireMessage, WireContent, WireMessage, WirePoll } from "./message-schema.ts";
import { IGNORED_MESSAGE_TYPES, noticeLine } from "./notices.ts";
import { displayName } from "./person-schema.ts";
import { type Names, readableText, readableTextToBot, readableTime } from "./text.ts";

/** Maximum characters of one text of a message. */
const MESSAGE_CHARS = 20_000;
/** Maximum characters of a quoted reply in a history, which usually contains that message anyway. */
const ANSWERED_CHARS = 1_000;

/** Reads any message. `answeredChars`: maximum length of the message that it answers. */
export function readMessage(message: WireMessage, names: Names, answeredChars = MESSAGE_CHARS): ReadMessage {
  const text = readableTextToBot(message.content, message, names);
  const quoted = [commandOf(message), cut(answeredBy(message, names), answeredChars), ...shownIn(message, names)];
  return { text, quoted: quoted.filter(Boolean).map((each) => cut(each)), files: filesOf(message) };
}

/** A whole message as a quote of its author, with when it was written, for a reply or a link to it. */
export function datedQuoteOf(message: PlainWireMessage, names: Names): string {
  return quoteOf(message, names, `, ${readableTime(timeOf(message.id))}`);
}

/** The same without the time, for a question about the message, whose thread is named after the quote. */
export function quoteOf(message: PlainWireMessage, names: Names, when = ""): string {
  const words = readableTextToBot(message.content, message, names);
  const content = joined([commandOf(message), words, ...shownIn(message, names), ...fileLines(message)]);
  return cut(`${displayName(message.author, message.member)} wrote${when}: ${content}`);
}

/** A message in a thread's history; null for system messages that say nothing about the conversation. */
export function threadMessage(message: WireMessage, names: Names, topic = ""): ThreadMessage | null {
  if (message.type === MessageType.ThreadStarterMessage) {
    const { referenced_message: started } = message;
    const isThere = started !== null && started !== undefined;
    return isThere ? threadMessage({ ...started, referenced_message: undefined }, names, topic) : null;
  }
  if (IGNORED_MESSAGE_TYPES.has(message.type)) return null;
  const { text, quoted, files } = readMessage(message, names, ANSWERED_CHARS);
  const content = noticeLine(message, names) ?? joined([text, ...quoted, ...fileLines(message), reactionLine(message)]);
  return {
    messageId: message.id,
    author: {
      id: `discord:${message.author.id}`,
      name: displayName(message.author, message.member),
      isBot: message.author.bot === true || (message.webhook_id ?? null) !== null,
      ...(message.author.id === names.botId ? { isOurs: true } : {}),
    },
    text: cut(joined([topic, content])),
    ...(quoted.length === 0 ? {} : { isQuoting: true }),
    ...(files.length === 0 ? {} : { attachments: files }),
    at: timeOf(message.id),
  };
}

/** The message being replied to, as a quote, or a note that it was deleted. */
function answeredBy({ type, referenced_message: answered, mentions }: WireMessage, names: Names): string {
  if (answered !== null && answered !== undefined) {
    // The author's name on the server, which the quoted message itself lacks.
    const mentioned = mentions.find(({ id }) => id === answered.author.id);
    return datedQuoteOf({ ...answered, member: answered.member ?? mentioned?.member }, names);
  }
  return answered === null && type === MessageType.Reply ? "[It answers a message that was deleted.]" : "";
}

/** For a bot's answer to a command: which command, and who used it. */
function commandOf({ type, interaction, interaction_metadata: metadata }: PlainWireMessage): string {
  if (type !== MessageType.ChatInputCommand && type !== MessageType.ContextMenuCommand) return "";
  const name = interaction?.name || metadata?.name || "";
  const user = interaction?.user ?? metadata?.user;
  const command = type === MessageType.ChatInputCommand ? `/${name}` : `“${name}”`;
  const by = user === undefined ? "" : `, used by ${displayName(user, undefined)}`;
  return `[answer to ${name === "" ? "a command" : command}${by}]`;
}

/** Everything that a message shows besides its text and files. */
function shownIn(message: PlainWireMessage, names: Names): string[] {
  const origin = names.channel(message.message_reference?.channel_id ?? "");
  const from = origin === undefined ? "" : ` from #${origin}`;
  const forwarded = message.message_snapshots.map(({ message: snapshot }) => {
    const words = readableText(snapshot.content, snapshot, names);
    const at = readableTime(Date.parse(snapshot.timestamp));
    return `Forwarded${from}${at === null ? "" : `, ${at}`}: ${joined([words, ...extrasOf(snapshot, names), ...fileLines(snapshot)])}`;
  });
  const isOwn = message.author.id === names.botId;
  return [...forwarded, ...extrasOf(isOwn ? { ...message, components: [] } : message, names)];
}

/** Previews and other embeds, components, a poll, stickers, and a voice message. */
function extrasOf(content: WireContent, names: Names): string[] {
  const voice = (content.flags & MessageFlags.IsVoiceMessage) === 0 ? undefined : content.attachments[0];
  return [
    ...embedTexts(content, names),
    componentsText(content.components, (text) => readableText(text, content, names)),
    content.poll === undefined ? "" : pollText(content.poll),
    ...content.sticker_items.map(({ name }) => `[sticker: ${name}]`),
    voice === undefined ? "" : `[voice message, ${Math.round(voice.duration_secs)} s]`,
  ].filter((text) => text !== "");
}

/** The texts of link previews and other embeds. */
export function embedTexts(content: WireContent, names: Names): string[] {
  const readable = (text: string) => readableText(text, content, names);
  // Several embeds of one address are one card with several pictures.
  const addresses = new Set<string>();
  const texts = content.embeds.map((embed) => {
    const url = addresses.has(embed.url) ? "" : embed.url;
    addresses.add(embed.url);
    return joined([embedText({ ...embed, url }, readable), componentsText(embed.components, readable)]);
  });
  return texts.filter((text) => text !== "");
}

function pollText({ question, answers, expiry, results }: WirePoll): string {
  const lines = answers.map(({ answer_id, poll_media: { text, emoji } }) => {
    const answer = [emoji?.name ?? "", text].filter(Boolean).join(" ");
    return results === undefined ? `- ${answer}` : `- ${answer}: ${votesText(answer_id, results)}`;
  });
  const endsAt = readableTime(Date.parse(expiry));
  const open = endsAt === null ? "" : `[The poll ends ${endsAt}.]`;
  return joined([`Poll: ${question.text}`, ...lines, results?.is_finalized === true ? "[The poll has ended.]" : open]);
}

/** Answers without votes are not among the counts. */
function votesText(answerId: number, { answer_counts: counts }: NonNullable<WirePoll["results"]>): string {
  const votes = counts.find(({ id }) => id === answerId)?.count ?? 0;
  return counted(votes, "vote");
}

/** The reactions of others than the bot. */
function reactionLine({ reactions }: PlainWireMessage): string {
  const shown = reactions.flatMap(({ emoji, count, me }) => {
    const others = count - (me ? 1 : 0);
    return others > 0 ? [`${emoji.id === undefined ? emoji.name : `:${emoji.name}:`} ${others}`] : [];
  });
  return shown.length === 0 ? "" : `[reactions: ${shown.join(", ")}]`;
}

function fileLines({ attachments }: Pick<WireContent, "attachments">): string[] {
  return attachments.map(
    ({ filename, title, description }) => `[file: ${[filename, title, description].filter(Boolean).join(": ")}]`,
  );
}

/** Lines for files that have a title or a description besides their name. */
export function describedFileLines({ attachments }: WireContent): string[] {
  return fileLines({ attachments: attachments.filter(({ title, description }) => title + description !== "") });
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

function cut(text: string, chars = MESSAGE_CHARS): string {
  return text.length > chars ? `${text.slice(0, chars).toWellFormed()}… [cut]` : text;
}
