import { cut } from "../../core/text/plain-text.ts";

/** Bounds texts written by a server, and removes characters that are invisible to people or control a terminal. */

/** Control characters but tab and line feed, and invisible or reordering ones. Joiners stay for emoji and scripts. */
const HIDDEN = /[\p{Cs}\p{Co}\p{Cn}\u2028\u2029]|(?![\t\n])\p{Cc}|(?![\u200c\u200d])\p{Cf}/gu;

/** Whether a text holds characters that a reader cannot see. */
export function hidesCharacters(text: string): boolean {
  return text.search(HIDDEN) >= 0;
}

/** Removes hidden characters and cuts the text to `maxChars`, with a visible mark of the cut. */
export function foreignText(text: string, maxChars: number): string {
  // Text far beyond the limit is not even scanned.
  return cut(text.slice(0, maxChars * 2).replaceAll(HIDDEN, ""), maxChars);
}

export function foreignLine(text: string, maxChars: number): string {
  const line = text.slice(0, maxChars * 4).replaceAll(/\s+/gu, " ");
  return foreignText(line.trim(), maxChars);
}
