import { inlineCode } from "../text/plain-text.ts";

const SHOWN_CHARS = 60;

/** What somebody typed and nobody knows, as a code span: on one line and short, whatever it is. */
export function asTyped(words: string): string {
  const span = inlineCode(words, SHOWN_CHARS);
  return span === "" ? '`""`' : span;
}
