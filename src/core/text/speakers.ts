/** Words of people as a model reads them: none can look like another's, or like what the program itself says. */

import { plainLine } from "./plain-text.ts";

/** Characters of a name that are kept. */
const NAME_CHARS = 64;
/** All that a reader may take for the end of a line. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/gu;
/** The beginning of a marker that only the program sets, also with blanks or with what is not seen within it. */
const MARKER = /<(?=[\s\p{Cf}]{0,4}\/?[\s\p{Cf}]{0,4}(?:thread_conversation|local_command_output))/giu;

/** A name cannot break out of its place: one line, bounded, no colon, double quote or angle bracket. */
export function speakerName(name: string): string {
  const plain = name.replaceAll('"', "'").replaceAll(/[\s:<>]+/gu, " ");
  return plainLine(plain, NAME_CHARS) || "Someone";
}

/** Words whose further lines are indented, so that none of them can begin as a line of another speaker does. */
export function indented(words: string): string {
  return words.replaceAll(LINE_END, "\n  ");
}

/** Text that neither opens nor closes a marker of the program. */
export function withoutMarkers(text: string): string {
  return text.replaceAll(MARKER, "‹");
}
