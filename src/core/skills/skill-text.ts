import { cut } from "../text/plain-text.ts";

/** Skills come from repositories that anyone may write to, so their invisible characters are removed. */

/**
 * Control characters except tab and line end, direction marks, zero-width marks except joiners (which scripts need),
 * and tag characters.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Removes the characters that a reader of the file would not see. */
export function withoutInvisible(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNSEEN, "").toWellFormed();
}

/** Reduces a text to one line of at most `most` visible characters. */
export function visibleLine(text: string, most: number): string {
  const seen = withoutInvisible(text.replace(/[\u2028\u2029]/g, " "));
  return cut(seen.replace(/\s+/g, " ").trim(), most);
}
