import { textOfEachByte } from "../../runtime/text-encoding.ts";
import { posixRegex, SPECIAL } from "../text/posix-regex.ts";

/** Compiled patterns: a program uses the same ones for each record. */
const compiled = new Map<string, RegExp>();
const MAX_COMPILED = 500;
const BYTE = 0xff;

/** Compiles a pattern of awk, whose dots match line ends, too. */
export function awkPattern(pattern: string, flags = ""): RegExp {
  const key = `${flags}/${pattern}`;
  const regex = compiled.get(key) ?? posixRegex(withCharacters(pattern), "awk", `${flags}s`);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, regex);
  regex.lastIndex = 0;
  return regex;
}

/** Replaces the escapes that only awk has: characters by their codes, and `\y` for the edge of a word. */
function withCharacters(pattern: string): string {
  return pattern.replace(/\\(?:([0-7]{1,3})|x([\dA-Fa-f]{1,2})|([^]))/g, (escape, octal?: string, hex?: string) => {
    if (octal === undefined && hex === undefined) return ESCAPES[escape] ?? escape;
    const code = octal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(octal, 8);
    const char = textOfEachByte(String.fromCharCode(code & BYTE));
    return SPECIAL.test(char) ? `\\${char}` : char;
  });
}

const ESCAPES: Readonly<Record<string, string>> = { "\\y": "\\b", "\\a": "\u0007", "\\b": "\b" };

/** A pattern of a program; texts that stand for themselves are searched without a pattern, which is faster. */
export class Pattern {
  readonly source: string;
  readonly #flags: string;
  readonly plain: string | null;
  #one: RegExp | null = null;

  constructor(source: string, ignoresCase: boolean) {
    this.source = source;
    this.#flags = ignoresCase ? "i" : "";
    this.plain = !ignoresCase && /^[\w ,:;=@#%&<>'"~!/-]+$/.test(source) ? source : null;
    if (this.plain === null) this.#one = awkPattern(source, this.#flags);
  }

  test(text: string): boolean {
    return this.#one === null ? text.includes(this.source) : this.#one.test(text);
  }

  /** The regular expression with further flags. */
  regex(flags: string): RegExp {
    return awkPattern(this.source, this.#flags + flags);
  }
}
