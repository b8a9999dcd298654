import { cut } from "../../core/text/plain-text.ts";

/** Texts that a server made up: bounded, and without what hides from people or steers a terminal. */

/** Control characters but tab and line feed, and invisible or reordering ones. Joiners stay: emoji and scripts need them. */
const HIDDEN = /[\p{Cs}\p{Co}\p{Cn}\u2028\u2029]|(?![\t\n])\p{Cc}|(?![\u200c\u200d])\p{Cf}/gu;

/** Whether a text holds characters that a reader cannot see. */
export function hidesCharacters(text: string): boolean {
  return text.search(HIDDEN) >= 0;
}

/** The text without hidden characters, of at most `maxChars`, its cut visible. */
export function foreignText(text: string, maxChars: number): string {
  // What lies far beyond the limit is not even looked at.
  return cut(text.slice(0, maxChars * 2).replaceAll(HIDDEN, ""), maxChars);
}

/** The same on one line. */
export function foreignLine(text: string, maxChars: number): string {
  const line = text.slice(0, maxChars * 4).replaceAll(/\s+/gu, " ");
  return foreignText(line.trim(), maxChars);
}
