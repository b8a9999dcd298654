import { hash } from "node:crypto";
import type { Button, OutgoingMessage, ThreadRef } from "../../core/protocol/platform.ts";
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
import { inDialect } from "./message/dialect.ts";

/** A message as Discord's REST API takes it. */
export interface MessageBody {
  readonly content: string;
  readonly components: readonly object[];
  /** Parsing nothing means that no mention in the text notifies anybody, whatever it says. */
  readonly allowed_mentions: { readonly parse: readonly []; readonly replied_user: false };
  readonly flags: number;
  readonly nonce?: string;
  readonly enforce_nonce?: true;
}

/**
 * How a post is recognised later. Discord deduplicates by `nonce` for some minutes and never gives it
 * back when messages are read. So the message also carries `mark`: 48 zero-width characters at its end,
 * 48 bits of the key's hash. A component's id would serve messages with buttons only; an embed is
 * visible, needs the permission Embed Links, and is hidden by SUPPRESS_EMBEDS, which keeps links from
 * being fetched. The mark costs no reader anything and survives as long as the message is not edited,
 * and a post that is looked for has never been edited: edits need the answer of the post.
 */
export interface PostKey {
  readonly nonce: string;
  readonly mark: string;
}

/** Source: Discord docs, Message Flags. */
const SUPPRESS_EMBEDS = 1 << 2;
export const EPHEMERAL = 1 << 6;

const ZERO = "\u200b";
const ONE = "\u200c";
const MARK_BITS = 48;
const MARKS = new RegExp(`[${ZERO}${ONE}]{${MARK_BITS}}`, "gu");

/** Two threads may use the same key: it is hashed together with the thread. */
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

/** For one person only, as the answer to an interaction of theirs. */
export function formatEphemeral(message: OutgoingMessage): MessageBody {
  const body = format(message, "");
  return { ...body, flags: body.flags | EPHEMERAL };
}

function format(message: OutgoingMessage, mark: string): MessageBody {
  return {
    // Half a character, as a model may write and as lies between two parts of one, Discord takes nowhere.
    content: content(message, mark).toWellFormed(),
    components: rows(message.buttons),
    allowed_mentions: { parse: [], replied_user: false },
    flags: SUPPRESS_EMBEDS,
  };
}

function content(message: OutgoingMessage, mark: string): string {
  const [before, after] = TONES[message.tone];
  const room = CONTENT_CHARS - mark.length - before.length - after.length;
  const footer = subtext(cut(message.footer ?? "", FOOTER_CHARS));
  const written = withoutMark(message.markdown);
  const drawn = message.tone === "plain" ? inDialect(written) : written;
  const text = cut(drawn.length <= room - footer.length ? drawn : written, room - footer.length);
  // Discord refuses a message without anything in it.
  if (text === "" && footer === "" && message.files.length === 0) return `…${mark}`;
  const toned = text === "" || before === "" ? text : `${before}${unfenced(text)}${after}`;
  return `${toned}${toned === "" ? footer.trimStart() : footer}${mark}`;
}

/**
 * Discord shows colours in `ansi` code blocks and beside embeds; embeds need a permission and cannot be
 * told apart from link previews, which are suppressed.
 */
const TONES: Readonly<Record<OutgoingMessage["tone"], readonly [before: string, after: string]>> = {
  plain: ["", ""],
  error: ["```ansi\n\u001b[0;31m", "\u001b[0m\n```"],
  task: ["```ansi\n\u001b[0;36m", "\u001b[0m\n```"],
};

/** Words in bold; stars inside a word, as globs have them, mean themselves. */
const BOLD = /(?<![^\s(])\*\*([^\s*](?:[^*\n]*[^\s*])?)\*\*(?=[\s:.,;)]|$)/gmu;
/** A code span, by one backtick or by two; three are a code block's. */
const CODE_SPAN = /(?<!`)(``?)(?!`) ?([^\n]*?[^`\n]) ?\1(?!`)/gu;

/** Text for a code block, which shows Markdown's marks as they are: it cannot leave the block, nor change its colour. */
function unfenced(text: string): string {
  const words = text.replaceAll(BOLD, "$1").replaceAll(CODE_SPAN, "$2");
  return words.replaceAll("\u001b", "").replaceAll("```", "'''");
}

/** Lines in small grey type, with the line break before them. */
function subtext(footer: string): string {
  const lines = footer.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => `\n-# ${line}`).join("");
}

function rows(buttons: readonly Button[]): object[] {
  const shown = buttons.slice(0, BUTTONS_PER_ROW * ROWS);
  return Array.from({ length: Math.ceil(shown.length / BUTTONS_PER_ROW) }, (_, row) => ({
    type: 1,
    components: shown.slice(row * BUTTONS_PER_ROW, (row + 1) * BUTTONS_PER_ROW).map((button) => ({
      type: 2,
      style: BUTTON_STYLES[button.style],
      label: cut(button.label, LABEL_CHARS).toWellFormed(),
      custom_id: button.id,
    })),
  }));
}

/** Source: Discord docs, Component Reference, Button Styles. */
const BUTTON_STYLES: Readonly<Record<Button["style"], number>> = { default: 2, primary: 1, danger: 4 };

/** Control and direction characters, which would garble a channel list. Joiners stay: emoji are made with them. */
const INVISIBLE = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A thread is called after the first line that says something; a request without words, after its author. */
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
