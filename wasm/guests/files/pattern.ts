import { type Prefilter, Refusal } from "../workspace.ts";
import { asJavaScript } from "./dialects.ts";
import { needlesOf, shapesOf } from "./needles.ts";

export interface Pattern {
  /** Global and multiline, so that `^` and `$` match at every line. */
  readonly regex: RegExp;
  /** What files with a match contain. */
  readonly prefilter: Prefilter;
  /** Whether searching the whole text may miss lines that match by themselves. */
  readonly looksAround: boolean;
  /** Whether matches may cross line ends. */
  readonly overLines: boolean;
}

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
}

/** Compiles JavaScript syntax, and accepts other engines' dialects and leading flags such as `(?i)`. */
export function compile(source: string, flags: Flags): Pattern {
  const [leading = "", inline = ""] = /^\(\?([imsu]+)\)/.exec(source) ?? [];
  const { pattern, namesLineEnd } = asJavaScript(source.slice(leading.length));
  const ignoreCase = flags.ignoreCase || inline.includes("i");
  const unicode = /\\[pPu]\{/.test(pattern);
  const dotAll = flags.multiline || inline.includes("s");
  const letters = `gm${ignoreCase ? "i" : ""}${dotAll ? "s" : ""}${unicode ? "u" : ""}`;
  try {
    const regex = new RegExp(pattern, letters);
    const prefilter = prefilterOf(pattern, { ignoreCase, unicode });
    const looksAround = /\(\?<?[=!]/.test(pattern);
    return { regex, prefilter, looksAround, overLines: flags.multiline || namesLineEnd };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`The pattern is not a valid regular expression (JavaScript syntax): ${reason}`);
  }
}

function prefilterOf(pattern: string, flags: { readonly ignoreCase: boolean; readonly unicode: boolean }): Prefilter {
  const needles = needlesOf(pattern, flags);
  const shapes = needles.length > 0 ? [] : shapesOf(pattern, flags);
  return { needles, foldCase: flags.ignoreCase, shapes: shapes.map((shape) => shape.map(bitsOf).join("")) };
}

/** 32 hexadecimal digits, with a bit for each ASCII character. */
function bitsOf(chars: string): string {
  let bits = 0n;
  for (const char of chars) bits |= 1n << BigInt(char.charCodeAt(0));
  return bits.toString(16).padStart(32, "0");
}
