import { Refusal } from "../workspace.ts";
import { needlesOf } from "./needles.ts";

export interface Pattern {
  /** Global and line-anchored (`^` and `$` are a line's). */
  readonly regex: RegExp;
  /** Texts of which each match contains one; none: nothing is known. */
  readonly needles: readonly string[];
  readonly ignoreCase: boolean;
  /** Whether a match in the whole text may be missing although a line alone would match. */
  readonly looksAround: boolean;
}

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
}

/** JavaScript's syntax; a leading `(?i)`, as other engines have it, is understood. */
export function compile(source: string, flags: Flags): Pattern {
  const inline = source.startsWith("(?i)");
  const pattern = inline ? source.slice(4) : source;
  const ignoreCase = flags.ignoreCase || inline;
  const unicode = /\\[pPu]\{/.test(pattern);
  const letters = `gm${ignoreCase ? "i" : ""}${flags.multiline ? "s" : ""}${unicode ? "u" : ""}`;
  try {
    const regex = new RegExp(pattern, letters);
    const needles = needlesOf(pattern, { ignoreCase, unicode });
    return { regex, needles, ignoreCase, looksAround: /\(\?<?[=!]/.test(pattern) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`The pattern is not a valid regular expression (JavaScript syntax): ${reason}`);
  }
}
