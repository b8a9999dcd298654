import { characterCount } from "../text/width.ts";

/** Whether a text holds characters of two code units, which awk counts as one. */
const PAIRS = /[\ud800-\udbff]/;

function charactersOf(text: string): readonly string[] | string {
  return PAIRS.test(text) ? Array.from(text) : text;
}

/** The characters from a position on, which is counted from 1, or from the first if the position lies before it. */
export function substring(text: string, start: number, length = Number.POSITIVE_INFINITY): string {
  const from = Math.max(Math.floor(start) - 1, 0);
  const part = charactersOf(text).slice(from, from + Math.max(Math.floor(length), 0));
  return typeof part === "string" ? part : part.join("");
}

/** The position of the character at an index of a text, counted from 1. */
export function positionOf(text: string, index: number): number {
  return characterCount(text.slice(0, index)) + 1;
}

interface Conversion {
  readonly letter: string;
  readonly flags: string;
  readonly width: string;
  readonly precision: string;
}

/** Formats a text for `%s`, or its first character for `%c`. */
export function formatText({ letter, flags, width, precision }: Conversion, value: string | number): string {
  const text = letter === "c" ? characterOf(value) : String(value);
  const kept = letter === "c" || precision === "" ? text : substring(text, 1, Number(precision));
  if (width === "") return kept;
  const blanks = " ".repeat(Math.max(0, Number(width) - characterCount(kept)));
  return flags.includes("-") ? kept + blanks : blanks + kept;
}

function characterOf(value: string | number): string {
  if (typeof value === "string") return substring(value, 1, 1) || "\0";
  const code = Math.trunc(value);
  return String.fromCodePoint(code >= 0 && code <= 0x10_ff_ff ? code : 0xff_fd);
}

/** What `sub` and `gsub` insert for a match: a backslash counts only before an `&`, which stands for the match. */
export function replacementOf(text: string, match: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/\\+&?|&/g, (found) => {
    if (!found.endsWith("&")) return found;
    const backslashes = found.length - 1;
    return "\\".repeat(backslashes / 2) + (backslashes % 2 === 0 ? match : "&");
  });
}
