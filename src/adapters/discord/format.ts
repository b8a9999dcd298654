import { hash } from "node:crypto";
import { ButtonStyle, ComponentType, MessageFlags } from "discord.js";
import type { Button, OutgoingMessage } from "../../core/platform/outgoing.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { commandAsTitle } from "../../core/text/command-as-title.ts";
import { cut } from "../../core/text/plain-text.ts";
import {
  BUTTONS_PER_ROW,
  CONTENT_CHARS,
  FOOTER_CHARS,
  LABEL_CHARS,
  NONCE_CHARS,
  ROWS,
  THREAD_NAME_CHARS,
} from "./limits.ts";
import { toDiscordMarkdown } from "./message/discord-markdown.ts";

/** A message in the form of Discord's REST API. */
export interface MessageBody {
  readonly content: string;
  readonly components: readonly object[];
  /** With nothing to parse, no mention in the text notifies anybody. */
  readonly allowed_mentions: { readonly parse: readonly []; readonly replied_user: false };
  readonly flags: number;
  readonly nonce?: string;
  readonly enforce_nonce?: true;
}

/**
 * Identifies a post, so that it can be found again. Discord deduplicates by `nonce` for a few minutes, but does not
 * return it when messages are read. Therefore the message also carries `mark`, 48 zero-width characters at its end that
 * encode 48 bits of the key's hash. A component's id would work only for messages with buttons; an embed is visible,
 * needs the permission Embed Links, and is hidden by SUPPRESS_EMBEDS, which prevents link previews. The mark is
 * invisible and lasts until the message is edited; a post being searched for was never edited, since edits need the
 * response of the post.
 */
export interface PostKey {
  readonly nonce: string;
  readonly mark: string;
}

const ZERO = "\u200b";
const ONE = "\u200c";
const MARK_BITS = 48;
const MARKS = new RegExp(`[${ZERO}${ONE}]{${MARK_BITS}}`, "gu");

/** The key is hashed together with the thread, because two threads may use the same one. */
export function postKey(thread: ThreadRef, key: string): PostKey {
  const digest = hash("sha256", JSON.stringify([thread.channelId, thread.threadId, key]), "buffer");
  const bits = [...digest.subarray(0, MARK_BITS / 8)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return {
    nonce: digest.toString("base64url").slice(0, NONCE_CHARS),
    mark: bits.replaceAll("0", ZERO).replaceAll("1", ONE),
  };
}

export function withoutMark(text: string): string {
  return text.replaceAll(MARKS, "");
}

export function formatPost(message: OutgoingMessage, key: PostKey): MessageBody {
  return { ...format(message, key.mark), nonce: key.nonce, enforce_nonce: true };
}

export function formatEdit(message: OutgoingMessage): MessageBody {
  return format(message, "");
}

/** A private message, as the answer to a person's interaction. */
export function formatEphemeral(message: OutgoingMessage): MessageBody {
  const body = format(message, "");
  return { ...body, flags: body.flags | MessageFlags.Ephemeral };
}

function format(message: OutgoingMessage, mark: string): MessageBody {
  return {
    // Discord rejects lone surrogates, which a model may write or a split may produce.
    content: content(message, mark).toWellFormed(),
    components: rows(message.buttons),
    allowed_mentions: { parse: [], replied_user: false },
    flags: MessageFlags.SuppressEmbeds,
  };
}

function content(message: OutgoingMessage, mark: string): string {
  const [before, after] = TONES[message.tone];
  const room = CONTENT_CHARS - mark.length - before.length - after.length;
  const footer = subtext(cut(message.footer ?? "", FOOTER_CHARS));
  const written = withoutMark(message.markdown);
  const drawn = message.tone === "plain" ? toDiscordMarkdown(written) : written;
  const text = cut(drawn.length <= room - footer.length ? drawn : written, room - footer.length);
  // Discord rejects an empty message.
  if (text === "" && footer === "" && message.files.length === 0) return `…${mark}`;
  const toned = text === "" || before === "" ? text : `${before}${unfenced(text)}${after}`;
  return `${toned}${toned === "" ? footer.trimStart() : footer}${mark}`;
}

/**
 * Colours the text with an `ansi` code block. Embeds also have a colour, but need a permission and would be suppressed
 * together with link previews.
 */
const TONES: Readonly<Record<OutgoingMessage["tone"], readonly [before: string, after: string]>> = {
  plain: ["", ""],
  error: ["```ansi\n\u001b[0;31m", "\u001b[0m\n```"],
  task: ["```ansi\n\u001b[0;36m", "\u001b[0m\n```"],
};

/** Bold words; stars inside a word, as in globs, are literal. */
const BOLD = /(?<![^\s(])\*\*([^\s*](?:[^*\n]*[^\s*])?)\*\*(?=[\s:.,;)]|$)/gmu;
/** A code span between single or double backticks; three would be a code block. */
const CODE_SPAN = /(?<!`)(``?)(?!`) ?([^\n]*?[^`\n]) ?\1(?!`)/gu;

/** Prepares text for a code block, which shows Markdown's marks; the text cannot leave the block or recolour it. */
function unfenced(text: string): string {
  const words = text.replaceAll(BOLD, "$1").replaceAll(CODE_SPAN, "$2");
  return words.replaceAll("\u001b", "").replaceAll("```", "'''");
}

/** The footer as lines in small grey type, each after a line break. */
function subtext(footer: string): string {
  const lines = footer.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => `\n-# ${line}`).join("");
}

function rows(buttons: readonly Button[]): object[] {
  const shown = buttons.slice(0, BUTTONS_PER_ROW * ROWS);
  return Array.from({ length: Math.ceil(shown.length / BUTTONS_PER_ROW) }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: shown.slice(row * BUTTONS_PER_ROW, (row + 1) * BUTTONS_PER_ROW).map((button) => ({
      type: ComponentType.Button,
      style: BUTTON_STYLES[button.style],
      label: cut(button.label, LABEL_CHARS).toWellFormed(),
      custom_id: button.id,
    })),
  }));
}

const BUTTON_STYLES: Readonly<Record<Button["style"], ButtonStyle>> = {
  default: ButtonStyle.Secondary,
  primary: ButtonStyle.Primary,
  danger: ButtonStyle.Danger,
};

/** Control and direction characters, which would garble a channel list. Joiners stay, since emoji contain them. */
const INVISIBLE = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** The name of a thread: the first line with a letter or digit, or the author's name if there is none. */
export function threadName(text: string, author: string): string {
  const line = text.split("\n").find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? "";
  const name = line
    .replaceAll(/^[#>\s]+|[`*~|]+/gu, "")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(INVISIBLE, "")
    .toWellFormed()
    .trim();
  return cut(name === "" ? `For ${author}` : commandAsTitle(name), THREAD_NAME_CHARS);
}
