import type { types } from "@slack/bolt";
import type { Button, OutgoingMessage } from "../../core/platform/outgoing.ts";
import { cut, unescapeMarkdown } from "../../core/text/plain-text.ts";
import { mapOutsideCode } from "../render/markdown/prose.ts";
import { withoutImages, withoutMentions } from "../render/markdown/safe-text.ts";
import { BUTTONS_PER_ROW, CONTEXT_CHARS, LABEL_CHARS, MARKDOWN_CHARS, UPDATE_TEXT_CHARS } from "./limits.ts";
import { plainText } from "./message/plain-text.ts";
import { escaped } from "./message/text.ts";

/** A message in the form of chat.postMessage, chat.update and chat.postEphemeral. */
export interface SlackBody {
  /** Plain text for notifications and screen readers. */
  readonly text: string;
  readonly blocks: types.KnownBlock[];
}

export function formatMessage(message: OutgoingMessage): SlackBody {
  const markdown = cut(mapOutsideCode(withoutImages(withoutMentions(signed(message))), withFlanks), MARKDOWN_CHARS);
  const footer = message.footer ?? "";
  const blocks: types.KnownBlock[] = [];
  if (markdown.trim() !== "") blocks.push({ type: "markdown", text: markdown });
  if (footer !== "")
    blocks.push({
      type: "context",
      elements: [{ type: "mrkdwn", text: mrkdwn(unescapeMarkdown(footer), CONTEXT_CHARS) }],
    });
  for (let at = 0; at < message.buttons.length; at += BUTTONS_PER_ROW) {
    blocks.push({ type: "actions", elements: message.buttons.slice(at, at + BUTTONS_PER_ROW).map(formatButton) });
  }
  const words = plainText(message.markdown.slice(0, MARKDOWN_CHARS));
  return { text: mrkdwn(words, UPDATE_TEXT_CHARS) || "…", blocks };
}

const BOLD = /(?<![*\\])\*\*([^\s*](?:[^*\n]*[^\s*])?)\*\*(?!\*)/gu;
/** Next to these characters, a mark of bold is always recognised. */
const PARTING = /^[\s!-/:-@[-`{-~]?$/u;
const PUNCTUATION = /^[\p{P}\p{S}]$/u;
/** With a word before it as in `x**(1/2)`, or at the end as in `f(**more)`, the stars are code and stay visible. */
const OPENING = /[([{]$/u;
const ZERO_WIDTH_SPACE = "\u200b";

/**
 * Adds zero-width spaces where a mark of bold between punctuation and a letter would not be recognised (CommonMark,
 * 6.2). This is common in scripts without spaces between words, whose punctuation Slack treats as letters.
 */
function withFlanks(text: string): string {
  return text.replaceAll(BOLD, (written, words: string, at: number) => {
    const before = text.charAt(at - 1);
    const isTorn = (inside: string, outside: string) => PUNCTUATION.test(inside) && !PARTING.test(outside);
    const begins = isTorn(words.charAt(0), before) ? ZERO_WIDTH_SPACE : "";
    const ends = isTorn(words.slice(-1), text.charAt(at + written.length)) ? ZERO_WIDTH_SPACE : "";
    const isCode = (begins !== "" && /\w/u.test(before)) || (ends !== "" && OPENING.test(words));
    return isCode ? written : `**${begins}${words}${ends}**`;
  });
}

/**
 * A sign before the text carries the colour, because Slack does not colour text in messages and allows alert blocks
 * only in modals. Blue is the closest to cyan among the signs.
 */
const SIGNS: Readonly<Record<OutgoingMessage["tone"], readonly [plain: string, coloured: string]>> = {
  plain: ["", ""],
  error: ["✗", "❌"],
  task: ["→", "➡️"],
};

export function signed({ markdown, tone }: OutgoingMessage): string {
  const [plain, coloured] = SIGNS[tone];
  return markdown.startsWith(plain) ? `${coloured}${markdown.slice(plain.length)}` : markdown;
}

export function formatButton({ id, label, style }: Button): types.Button {
  const base = {
    type: "button",
    action_id: id,
    text: { type: "plain_text", text: cut(label, LABEL_CHARS), emoji: true },
  } as const;
  return style === "default" ? base : { ...base, style };
}

/** Escapes text so that nothing in it is a mention or a link. */
export function mrkdwn(text: string, maxChars: number): string {
  // A cut must not leave half an entity behind.
  return cut(escaped(withoutMentions(text)), maxChars).replace(/&[a-z]*\u2026$/u, "…");
}
