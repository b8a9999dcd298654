import { inlineCode } from "../text/plain-text.ts";

const SHOWN_CHARS = 60;

/** Quotes unknown input as a short code span on one line. */
export function quoteInput(words: string): string {
  const span = inlineCode(words, SHOWN_CHARS);
  return span === "" ? '`""`' : span;
}
