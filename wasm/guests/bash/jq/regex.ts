import { charactersOf, JqError, type Json } from "./values.ts";

/** JavaScript's equivalents of POSIX classes such as `[:alpha:]`, which are valid only within brackets. */
const CLASSES: Readonly<Record<string, string>> = {
  alpha: "\\p{L}\\p{M}",
  alnum: "\\p{L}\\p{M}\\p{N}",
  digit: "\\p{Nd}",
  lower: "\\p{Ll}",
  upper: "\\p{Lu}",
  space: "\\s",
  blank: " \\t",
  punct: "\\p{P}\\p{S}",
  cntrl: "\\p{Cc}",
  xdigit: "\\da-fA-F",
  word: "\\p{L}\\p{M}\\p{N}\\p{Pc}",
};
const WORD = `[${CLASSES["word"]}]`;
/** JavaScript's equivalents of escapes that it limits to ASCII or does not support. */
const ESCAPES: Readonly<Record<string, string>> = {
  "\\A": "(?<![^])",
  "\\z": "(?![^])",
  "\\Z": "(?=\\n?(?![^]))",
  "\\h": "[\\da-fA-F]",
  "\\H": "[^\\da-fA-F]",
  "\\d": "\\p{Nd}",
  "\\D": "\\P{Nd}",
  "\\w": WORD,
  "\\W": `[^${CLASSES["word"]}]`,
  "\\b": `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
  "\\B": `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  "\\a": "\\x07",
  "\\e": "\\x1b",
};
const QUANTIFIER = /^\{(?:\d+(?:,\d*)?|,\d+)\}$/;

/** Matches an escape, a POSIX class, the opening of a group, a quantifier or a single character. */
const PART =
  /\\(?:[pP]\{\^?\w+\}|x\{[\da-fA-F]+\}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|k<\w+>|[^])|\[:\^?\w+:\]|\(\?(?:<?[=!]|<\w+>|:|[imx]+\)|[imx]+:)|\{\d*(?:,\d*)?\}|[^]/gu;

interface Translated {
  readonly source: string;
  /** The name of each group, in order; null for unnamed groups. */
  readonly names: readonly (string | null)[];
}

/** Translates jq's regular expressions into JavaScript's syntax for the flag `u`. */
function translated(pattern: string, isExtended: boolean): Translated {
  const names: (string | null)[] = [];
  let inClass = false;
  let isComment = false;
  const source = pattern.replace(PART, (part) => {
    if (isComment || (isExtended && !inClass && /^[\s#]$/.test(part))) {
      isComment = part === "#" || (isComment && part !== "\n");
      return "";
    }
    if (part.startsWith("\\")) return escape(part, inClass);
    if (inClass) {
      inClass = part !== "]";
      return part === "[" ? "\\[" : (CLASSES[part.slice(2, -2)] ?? part);
    }
    inClass = part === "[";
    if (/^\((?:\?<\w|$)/.test(part)) names.push(part === "(" ? null : part.slice(3, -1));
    if (part.startsWith("{") && QUANTIFIER.test(part)) return part.replace("{,", "{0,");
    return /^[\]{}]/.test(part) ? `\\${part}` : part;
  });
  return { source, names };
}

function escape(part: string, inClass: boolean): string {
  if (part.startsWith("\\x{")) return `\\u${part.slice(2)}`;
  const known = ESCAPES[part];
  if (known !== undefined && !(inClass && /^\\[bBAzZ]$/.test(part)))
    return inClass ? known.replace(/^\[([^^].*)\]$/, "$1") : known;
  // Other escaped characters stand for themselves; the flag `u` forbids the backslash before them.
  return /^\\[\w^$\\.*+?()[\]{}|/]/.test(part) || (inClass && part === "\\-") ? part : part.slice(1);
}

export interface Regex {
  readonly pattern: string;
  readonly flags: string;
}

const FLAGS = /^[ginslpx]*$/;

function compiled({ pattern, flags }: Regex): { readonly regex: RegExp; readonly names: Translated["names"] } {
  if (!FLAGS.test(flags)) throw new JqError(`${flags} is not a valid modifier string`);
  const [inline = "", letters = ""] = /^\(\?([imx]+)\)/.exec(pattern) ?? [];
  const has = (flag: string, letter: string) => flags.includes(flag) || letters.includes(letter);
  try {
    const { source, names } = translated(pattern.slice(inline.length), has("x", "x"));
    return { regex: new RegExp(source, `dgu${has("i", "i") ? "i" : ""}${has("p", "m") ? "s" : ""}`), names };
  } catch (error) {
    throw new JqError(`${pattern} (at offset 0) is not a valid regex: ${error instanceof Error ? error.message : ""}`);
  }
}

/** Returns the matches as jq's `match` reports them, with offsets and lengths in code points. */
export function matchesIn(text: string, given: Regex): Json[] {
  const { regex, names } = compiled(given);
  const matches: Json[] = [];
  for (const { indices = [] } of text.matchAll(regex)) {
    const spans = [...indices];
    const [whole] = spans;
    if (whole === undefined || (whole[0] === whole[1] && given.flags.includes("n"))) continue;
    const captures = spans
      .slice(1)
      .map((span, at) => new Map([...groupCapture(text, span), ["name", names[at] ?? null]]));
    matches.push(new Map([...groupCapture(text, whole), ["captures", captures]]));
    if (!given.flags.includes("g")) break;
  }
  return matches;
}

function groupCapture(text: string, span: readonly [start: number, end: number] | undefined): [string, Json][] {
  const [start, end] = span ?? [-1, -1];
  const string = span === undefined ? null : text.slice(start, end);
  return [
    ["offset", span === undefined ? -1 : charactersOf(text.slice(0, start)).length],
    ["length", charactersOf(string ?? "").length],
    ["string", string],
  ];
}
