/** Prepares people's words for a model, so that none can pass for another person's or the program's. */

import { plainLine } from "./plain-text.ts";

/** Maximum length of a name, in characters. */
const NAME_CHARS = 64;
/** Everything that a reader may treat as the end of a line. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/gu;
/** Beginning of a marker that only the program may set, even with blanks or invisible characters inside. */
const MARKER = /<(?=[\s\p{Cf}]{0,4}\/?[\s\p{Cf}]{0,4}(?:thread_conversation|local_command_output))/giu;

/** A name that cannot break out of its place: one line, bounded, no colon, double quote or angle bracket. */
export function speakerName(name: string): string {
  const plain = name.replaceAll('"', "'").replaceAll(/[\s:<>]+/gu, " ");
  return plainLine(plain, NAME_CHARS) || "Someone";
}

/** Indents all lines but the first, so that none of them can look like the beginning of another speaker's. */
export function indented(words: string): string {
  return words.replaceAll(LINE_END, "\n  ");
}

/** The text without openings or ends of the program's markers. */
export function withoutMarkers(text: string): string {
  return text.replaceAll(MARKER, "‹");
}
