import { isAmbiguous, LongestMatch } from "./alternatives.ts";
import { Refusal } from "./command.ts";

/** How patterns are written: as `grep`, as `sed -E`, as `grep -E`, or as `awk` takes them, with escapes within brackets. */
export type Dialect = "basic" | "extended" | "grep" | "awk";

/** What becomes of a quantifier where nothing precedes that it could repeat, such as in `^*a` or `(+b)`. */
const STRAY: Readonly<Record<Dialect, "kept" | "skipped" | "refused">> = {
  basic: "kept",
  extended: "refused",
  grep: "skipped",
  awk: "kept",
};

/** White space of POSIX, which has no characters that keep words together, for use in brackets. */
const SPACE = "\\t-\\r \\u1680\\u2000-\\u2006\\u2008-\\u200a\\u2028\\u2029\\u205f\\u3000";
const CLASSES: Readonly<Record<string, string>> = {
  alpha: "\\p{L}\\p{Nl}",
  digit: "0-9",
  alnum: "\\p{L}\\p{Nl}\\p{Nd}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: SPACE,
  blank: " \\t",
  punct: "\\p{P}\\p{S}",
  print: " -~\\u{a0}-\\u{d7ff}\\u{e000}-\\u{10ffff}",
  graph: "!-~\\u{a1}-\\u{d7ff}\\u{e000}-\\u{10ffff}",
  cntrl: "\\0-\\x1f\\x7f",
  xdigit: "0-9A-Fa-f",
};
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\\n",
  t: "\\t",
  r: "\\r",
  f: "\\f",
  v: "\\v",
  w: "[\\p{L}\\p{N}_]",
  W: "[^\\p{L}\\p{N}_]",
  s: `[${SPACE}]`,
  S: `[^${SPACE}]`,
  b: "\\b",
  B: "\\B",
  "<": "\\b(?=\\w)",
  ">": "\\b(?<=\\w)",
  "`": "(?<![^])",
  "'": "(?![^])",
};
/** Characters that a RegExp takes for themselves only behind a backslash. */
export const SPECIAL = /[\\^$.*+?()[\]{}|/]/;

/** Translates a POSIX pattern, including GNU's escapes, to a RegExp. */
export function posixRegex(pattern: string, dialect: Dialect, flags = ""): RegExp {
  return within(pattern, dialect, { flags, around: (source) => source });
}

interface Surroundings {
  readonly flags: string;
  /** Wraps the translated source of the pattern. */
  readonly around: (source: string) => string;
}

function within(pattern: string, dialect: Dialect, { flags, around }: Surroundings): RegExp {
  try {
    const translation = new Translation(pattern, dialect, flags.includes("m"));
    const source = around(translation.source());
    const isCased = !flags.includes("i");
    const isLongest = translation.isGreedy || translation.choices.some((choice) => isAmbiguous(choice, isCased));
    const Kind = isLongest ? LongestMatch : RegExp;
    return new Kind(source, `${flags}u`);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`invalid regular expression: ${pattern}`);
  }
}

interface GrepOptions {
  readonly mode: string;
  readonly ignoreCase?: boolean;
  readonly wholeWord?: boolean;
  readonly lineRegexp?: boolean;
}

interface GrepPattern {
  readonly regex: RegExp;
  /** Texts that a line must contain to match. */
  readonly preFilter?: { readonly needles: readonly string[]; readonly ignoreCase: boolean };
}

/** Compiles the right-hand side of `[[ =~ ]]`. */
export function conditionRegex(pattern: string, ignoresCase: boolean): RegExp {
  return posixRegex(pattern, "extended", ignoresCase ? "i" : "");
}

/** Compiles a basic or an extended pattern of grep; null for other modes. */
export function grepPattern(pattern: string, options: GrepOptions): GrepPattern | null {
  const { mode, ignoreCase = false, wholeWord, lineRegexp } = options;
  if ((mode !== "basic" && mode !== "extended") || pattern === "[^\\s\\S]") return null;
  const around = (source: string) => {
    const word = wholeWord === true ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
    return lineRegexp === true ? `^(?:${word})$` : word;
  };
  const regex = within(pattern, mode === "basic" ? "basic" : "grep", { flags: ignoreCase ? "gi" : "g", around });
  if (!/^[\w ,:;=@#%&<>'"~!-]+$/.test(pattern)) return { regex };
  return { regex, preFilter: { needles: [ignoreCase ? pattern.toLowerCase() : pattern], ignoreCase } };
}

class Translation {
  readonly #pattern: string;
  readonly #isBasic: boolean;
  readonly #stray: (typeof STRAY)[Dialect];
  readonly #escapes: RegExp;
  /** True if the text may hold several lines, so that `.` does not match line ends. */
  readonly #isMultiline: boolean;
  #at = 0;
  /** True if no element precedes that a quantifier could repeat. */
  #isStart = true;
  #isAnchor = false;
  /** Offset in the output of the last repeatable element, and whether it already has a quantifier. */
  #atom = 0;
  #isRepeated = false;
  /** The open groups: where they begin, and what is repeated before them. */
  readonly #groups: { readonly at: number; readonly repeated: string }[] = [];
  /** What is repeated before the last group. */
  #before = "";
  /** Whether a repetition may take what a group behind it, which may be left out, needs for a longer match. */
  isGreedy = false;
  /** Source texts of the alternatives, for each group that has several. */
  readonly choices: string[][] = [];
  readonly #open: { readonly done: string[]; from: number }[] = [{ done: [], from: 0 }];
  #output = "";

  constructor(pattern: string, dialect: Dialect, isMultiline: boolean) {
    this.#pattern = pattern;
    this.#isBasic = dialect === "basic";
    this.#stray = STRAY[dialect];
    this.#escapes = dialect === "awk" ? /^\\([^])/u : /^\\([ntrfv])/;
    this.#isMultiline = isMultiline;
  }

  source(): string {
    while (this.#at < this.#pattern.length) this.#next();
    while (this.#open.length > 0) this.#choose(this.#pattern.length, "end");
    return this.#output;
  }

  /** Records the end of an alternative, which may be the last of its group. */
  #choose(at: number, how: "next" | "end"): void {
    const choice = this.#open.at(-1);
    if (choice === undefined) return;
    choice.done.push(this.#pattern.slice(choice.from, at));
    choice.from = this.#at;
    if (how === "next") return;
    this.#open.pop();
    if (choice.done.length > 1) this.choices.push(choice.done);
  }

  #next(): void {
    const one = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += one.length;
    if (one === "[") this.#put(this.#bracket());
    else if (one === ".") this.#put(this.#isMultiline ? "." : "[^]");
    else if (one === "*") this.#quantifier("*");
    else if (one === "^") this.#caret();
    else if (one === "$") this.#dollar();
    else if (one === "\\") this.#escape();
    else if (!this.#isBasic && "(){}|+?".includes(one)) this.#operator(one);
    else this.#literal(one);
  }

  #put(text: string, isStart = false): void {
    this.#atom = this.#output.length;
    this.#output += text;
    this.#isStart = isStart;
    this.#isAnchor = false;
    this.#isRepeated = false;
  }

  /** Adds what matches a place only, and cannot be repeated. */
  #anchor(text: string): void {
    this.#put(text);
    this.#isAnchor = true;
  }

  #quantifier(times: string): void {
    if (!this.#isStart && !this.#isAnchor) this.#repeat(times);
    else if (this.#stray === "refused") throw new Refusal("Invalid preceding regular expression");
    else if (this.#stray === "kept") this.#literal(times);
  }

  /** Adds a quantifier; a second one needs a group because `*?` and `*+` differ in JavaScript. */
  #repeat(times: string): void {
    const group = this.#output.endsWith(")") && !this.#isRepeated ? this.#output.slice(this.#atom) : "";
    if (this.#before !== "" && /^(?:[?*]|\{0)/.test(times)) this.isGreedy ||= mayTake(this.#before, group);
    if (this.#isRepeated) this.#output = `${this.#output.slice(0, this.#atom)}(?:${this.#output.slice(this.#atom)})`;
    this.#output += times;
    this.#isRepeated = true;
  }

  #literal(one: string): void {
    this.#put(SPECIAL.test(one) ? `\\${one}` : one);
  }

  #operator(one: string): void {
    const before = this.#at - (this.#isBasic ? 2 : 1);
    if (one === "(" || one === "|") {
      if (one === "|") this.#choose(before, "next");
      else {
        const repeated = this.#isRepeated ? this.#output.slice(this.#atom) : "";
        this.#groups.push({ at: this.#output.length, repeated });
        this.#open.push({ done: [], from: this.#at });
      }
      this.#put(one, true);
    } else if (one === ")") {
      this.#choose(before, "end");
      this.#put(one);
      const group = this.#groups.pop();
      this.#atom = group?.at ?? this.#atom;
      this.#before = group?.repeated ?? "";
    } else if (one === "}" || (one === "{" && this.#isStart)) this.#literal(one);
    else if (one === "{") this.#interval();
    else this.#quantifier(one);
  }

  #interval(): void {
    const end = this.#isBasic ? "\\}" : "}";
    const to = this.#pattern.indexOf(end, this.#at);
    const [, least, comma, most] =
      /^(\d*)(?:(,)(\d*))?$/.exec(this.#pattern.slice(this.#at, Math.max(to, this.#at))) ?? [];
    if (to === -1 || (least === "" && comma === undefined) || (least === undefined && !this.#isBasic)) {
      this.#literal("{");
      return;
    }
    if (least === undefined) throw new Refusal("Invalid content of \\{\\}");
    this.#at = to + end.length;
    this.#repeat(`{${least || 0}${comma ?? ""}${most ?? ""}}`);
  }

  #caret(): void {
    const before = this.#pattern.slice(0, this.#at - 1);
    const isAnchor = !this.#isBasic || before === "" || /(?:\\\(|\\\||\n)$/.test(before);
    if (isAnchor) this.#put("^", true);
    else this.#literal("^");
  }

  #dollar(): void {
    const behind = this.#pattern.slice(this.#at);
    const isAnchor = !this.#isBasic || behind === "" || /^(?:\\\)|\\\||\n)/.test(behind);
    if (!isAnchor) this.#literal("$");
    else if (/^[*+?]/.test(behind) && this.#stray !== "refused") this.#put("(?:$)");
    else this.#anchor("$");
  }

  #escape(): void {
    const one = this.#pattern.charAt(this.#at);
    if (one === "") throw new Refusal("Trailing backslash");
    this.#at += 1;
    const hex = /^[0-9A-Fa-f]{1,2}/.exec(this.#pattern.slice(this.#at))?.[0] ?? "";
    if (this.#isBasic && "(){}|+?".includes(one)) this.#operator(one);
    else if (one === "x" && hex !== "") {
      this.#at += hex.length;
      this.#literal(String.fromCharCode(Number.parseInt(hex, 16)));
    } else if (/[1-9]/.test(one)) this.#put(`(?:\\${one})`);
    else if (ESCAPES[one] !== undefined && /[bB<>`']/.test(one)) this.#anchor(ESCAPES[one]);
    else if (ESCAPES[one] !== undefined) this.#put(ESCAPES[one]);
    else this.#literal(one);
  }

  #bracket(): string {
    const negated = this.#pattern.charAt(this.#at) === "^";
    if (negated) this.#at += 1;
    let content = "";
    for (let isFirst = true; ; isFirst = false) {
      const rest = this.#pattern.slice(this.#at);
      if (rest === "") throw new Refusal("unterminated address regex or [ without ]");
      const [named, name] = /^\[:(\w+):\]/.exec(rest) ?? [];
      const [escaped, letter = ""] = this.#escapes.exec(rest) ?? [];
      const one = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      if (one === "]" && !isFirst) break;
      if (named !== undefined && name !== undefined) {
        if (CLASSES[name] === undefined) throw new Refusal("invalid character class");
        content += CLASSES[name];
      } else if (escaped !== undefined) content += /[ntrfv\\\]^[-]/.test(letter) ? `\\${letter}` : letter;
      else content += one === "-" && isRange(content, rest) ? "-" : /[\\\]^[-]/.test(one) ? `\\${one}` : one;
      this.#at += (named ?? escaped ?? one).length;
    }
    this.#at += 1;
    return `[${negated ? "^" : ""}${content}${negated && this.#isMultiline ? "\\n" : ""}]`;
  }
}

/** Whether a repetition may take the beginning of a group. */
function mayTake(repeated: string, group: string): boolean {
  if (!group.startsWith("(")) return false;
  const [, escaped, plain] = /^\((?:\\(\W)|([^\\[(.^$]))(?![?*{])[^|]*$/u.exec(group) ?? [];
  const first = escaped ?? plain;
  return first === undefined || new RegExp(`^(?:${repeated})$`, "u").test(first);
}

function isRange(before: string, rest: string): boolean {
  return before !== "" && !rest.startsWith("-]");
}
