import type { OutgoingMessage } from "../../../core/platform/outgoing.ts";
import { mrkdwn, signed } from "../format.ts";

/** Our own limit; a longer text is posted as a separate message. In characters. */
const COMMENT_CHARS = 3_000;
/** Markdown that mrkdwn cannot express, and addresses, for which Slack would show a preview that no option prevents. */
const NOT_IN_COMMENTS = /^[ \t]*(?:#{1,6}\s|\||```|~~~|>)|\]\(|:\/\/|[\p{L}\p{N}-]\.\p{L}{2,}/mu;
const CODE_SPAN = /`[^`\n]+`/gu;
const BOLD = /\*\*([^*\n]+)\*\*/gu;

/** The message as the comment of its files, in mrkdwn; null if it has to be posted separately. */
export function commentOf(message: OutgoingMessage): string | null {
  const { buttons, files, footer, markdown } = message;
  if (files.length === 0 || buttons.length > 0 || markdown.trim() === "") return null;
  if (NOT_IN_COMMENTS.test(markdown.replaceAll(CODE_SPAN, ""))) return null;
  const words = footer === undefined ? signed(message) : `${signed(message)}\n${footer}`;
  if (words.length > COMMENT_CHARS) return null;
  return mrkdwn(words, 2 * COMMENT_CHARS).replaceAll(BOLD, "*$1*");
}

/** Reduces a comment to what Slack leaves unchanged, without emoji, angle brackets and entities. */
export function comparableText(text: string): string {
  return text.replaceAll(/:[a-z0-9_+-]{1,100}:|&(?:amp|lt|gt);|[^\p{L}\p{N}]/gu, "");
}
