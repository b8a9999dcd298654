import type { OutgoingMessage } from "../../../core/protocol/platform.ts";
import { mrkdwn, signed } from "../format.ts";

/** Ours: what is longer is a message of its own. Characters. */
const COMMENT_CHARS = 3_000;
/** What Slack's own markup has no like for, or would show a preview of: it fetches addresses in comments, and nothing forbids it. */
const NOT_IN_COMMENTS = /^[ \t]*(?:#{1,6}\s|\||```|~~~|>)|\]\(|:\/\/|[\p{L}\p{N}-]\.\p{L}{2,}/mu;
const CODE_SPAN = /`[^`\n]+`/gu;
const BOLD = /\*\*([^*\n]+)\*\*/gu;

/** The message as the comment of its files, in Slack's own markup; null when it must stand by itself. */
export function commentOf(message: OutgoingMessage): string | null {
  const { buttons, files, footer, markdown } = message;
  if (files.length === 0 || buttons.length > 0 || markdown.trim() === "") return null;
  if (NOT_IN_COMMENTS.test(markdown.replaceAll(CODE_SPAN, ""))) return null;
  const words = footer === undefined ? signed(message) : `${signed(message)}\n${footer}`;
  if (words.length > COMMENT_CHARS) return null;
  return mrkdwn(words, 2 * COMMENT_CHARS).replaceAll(BOLD, "*$1*");
}

/** What is left of a comment however Slack writes it: emoji by name, addresses in angles, entities. */
export function essenceOf(text: string): string {
  return text.replaceAll(/:[a-z0-9_+-]{1,100}:|&(?:amp|lt|gt);|[^\p{L}\p{N}]/gu, "");
}
