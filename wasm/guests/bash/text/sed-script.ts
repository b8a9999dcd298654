import { Refusal } from "./command.ts";
import { type Dialect, posixRegex } from "./posix-regex.ts";

/** A pattern; null means the last pattern used. */
export type Pattern = RegExp | null;

export type Address =
  | { readonly type: "line"; readonly line: number }
  | { readonly type: "step"; readonly first: number; readonly step: number }
  | { readonly type: "last" }
  | { readonly type: "match"; readonly pattern: Pattern }
  | { readonly type: "more"; readonly count: number }
  | { readonly type: "multiple"; readonly of: number };

export interface Substitution {
  readonly pattern: Pattern;
  readonly replacement: string;
  readonly all: boolean;
  readonly from: number;
  readonly prints: boolean;
  readonly file: string | null;
}

/** One command; the meaning of its fields depends on its name. */
export interface SedCommand {
  readonly name: string;
  readonly from: Address | null;
  readonly to: Address | null;
  readonly negated: boolean;
  /** What `a` and its like write; a label, a file, an exit code. */
  readonly text: string;
  readonly substitution?: Substitution;
  readonly letters?: ReadonlyMap<string, string>;
  /** Where the group ends that begins here. */
  end?: number;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  f: "\f",
  v: "\v",
  a: "\x07",
};

/** What a backslash and these characters say, outside patterns. */
export function escapedText(escape: string): string {
  if (/^x./.test(escape)) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return ESCAPES[escape] ?? escape;
}

const PLAIN = "={}dDFgGhHlnNpPxz";

/** Parses a script into a flat list, in which each group stores the index of its end. */
export function sedScript(source: string, dialect: Dialect): SedCommand[] {
  return new Reader(source, dialect).commands();
}

class Reader {
  readonly #source: string;
  readonly #dialect: Dialect;
  #at = 0;

  constructor(source: string, dialect: Dialect) {
    this.#source = source;
    this.#dialect = dialect;
  }

  commands(): SedCommand[] {
    const commands: SedCommand[] = [];
    const open: SedCommand[] = [];
    for (;;) {
      this.#skip(/[\s;]/);
      if (this.#peek() === "#") this.#until("\n");
      else if (this.#at >= this.#source.length) break;
      else {
        const command = this.#command();
        commands.push(command);
        if (command.name === "{") open.push(command);
        if (command.name === "}") {
          const group = open.pop();
          if (group === undefined) throw new Refusal("unexpected `}'");
          group.end = commands.length - 1;
        }
      }
    }
    if (open.length > 0) throw new Refusal("unmatched `{'");
    const labels = commands.filter(({ name }) => name === ":").map(({ text }) => text);
    const lost = commands.find(({ name, text }) => /^[btT]$/.test(name) && text !== "" && !labels.includes(text));
    if (lost !== undefined) throw new Refusal(`can't find label for jump to \`${lost.text}'`);
    return commands;
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #take(): string {
    return this.#source.charAt(this.#at++);
  }

  #skip(what: RegExp): void {
    while (this.#at < this.#source.length && what.test(this.#peek())) this.#at += 1;
  }

  #until(end: string): string {
    const to = this.#source.indexOf(end, this.#at);
    const text = this.#source.slice(this.#at, to === -1 ? undefined : to);
    this.#at += text.length;
    return text;
  }

  #digits(): string {
    const start = this.#at;
    this.#skip(/\d/);
    return this.#source.slice(start, this.#at);
  }

  #command(): SedCommand {
    const from = this.#address();
    this.#skip(/\s/);
    let to: Address | null = null;
    if (from !== null && this.#peek() === ",") {
      this.#at += 1;
      this.#skip(/\s/);
      to = this.#address(true);
      if (to === null) throw new Refusal("unexpected `,'");
      this.#skip(/\s/);
    }
    if (from?.type === "line" && from.line === 0 && to?.type !== "match")
      throw new Refusal("invalid usage of line address 0");
    const negated = this.#peek() === "!";
    this.#skip(/[!\s]/);
    const name = this.#take();
    const base = { name, from, to, negated, text: "" };
    if (name === "s") return { ...base, substitution: this.#substitution() };
    if (name === "y") return { ...base, letters: this.#letters() };
    if (/^[aic]$/.test(name)) return { ...base, text: this.#text() };
    if (/^[:btT]$/.test(name)) return { ...base, text: this.#label(name) };
    if (/^[rRwW]$/.test(name)) return { ...base, text: this.#until("\n").trim() };
    if (/^[qQ]$/.test(name)) {
      this.#skip(/[ \t]/);
      const text = this.#digits();
      this.#end();
      return { ...base, text };
    }
    if (name === "" || !PLAIN.includes(name))
      throw new Refusal(name === "" ? "missing command" : `unknown command: \`${name}'`);
    if (name !== "{") this.#end();
    return base;
  }

  #end(): void {
    this.#skip(/[ \t]/);
    if (!/^[;\n}#]?$/.test(this.#peek())) throw new Refusal("extra characters after command");
  }

  #address(isSecond = false): Address | null {
    const one = this.#peek();
    if (/\d/.test(one)) {
      const first = Number(this.#digits());
      if (this.#peek() !== "~") return { type: "line", line: first };
      this.#at += 1;
      return { type: "step", first, step: Number(this.#digits()) };
    }
    if (isSecond && (one === "+" || one === "~")) {
      this.#at += 1;
      const count = Number(this.#digits());
      return one === "+" ? { type: "more", count } : { type: "multiple", of: count };
    }
    if (one !== "$" && one !== "/" && one !== "\\") return null;
    this.#at += 1;
    if (one === "$") return { type: "last" };
    const source = this.#delimited(one === "/" ? "/" : this.#take(), true);
    const start = this.#at;
    this.#skip(/[IM]/);
    return { type: "match", pattern: this.#pattern(source, this.#source.slice(start, this.#at)) };
  }

  #pattern(source: string, flags: string): Pattern {
    if (source === "") return null;
    return posixRegex(source, this.#dialect, `g${/i/i.test(flags) ? "i" : ""}${/m/i.test(flags) ? "m" : ""}`);
  }

  /** Up to the delimiter, which a pattern's brackets may hold. */
  #delimited(delimiter: string, isPattern: boolean): string {
    let text = "";
    for (;;) {
      const one = this.#take();
      if (one === "" || one === "\n") throw new Refusal("unterminated `s' or `y' command or address regex");
      if (one === delimiter) return text;
      if (one === "\\") {
        const next = this.#take();
        text += next === delimiter && (isPattern || next !== "&") ? next : `\\${next}`;
      } else if (one === "[" && isPattern) {
        const bracket = /^\^?\]?(?:\[:\w+:\]|[^\]])*\]/.exec(this.#source.slice(this.#at))?.[0] ?? "";
        text += one + bracket;
        this.#at += bracket.length;
      } else text += one;
    }
  }

  #substitution(): Substitution {
    const delimiter = this.#take();
    if (/^[\n\\]?$/.test(delimiter)) throw new Refusal("unterminated `s' command");
    const source = this.#delimited(delimiter, true);
    const replacement = this.#delimited(delimiter, false);
    const start = this.#at;
    this.#skip(/[gpiImM\d \t]/);
    const flags = this.#source.slice(start, this.#at);
    const file = this.#peek() === "w" ? this.#until("\n").slice(1).trim() : null;
    if (this.#peek() === "e") throw new Refusal("s///e runs no commands here");
    this.#end();
    return {
      pattern: this.#pattern(source, flags),
      replacement,
      all: flags.includes("g"),
      from: Number(/\d+/.exec(flags)?.[0] ?? 1),
      prints: flags.includes("p"),
      file,
    };
  }

  #letters(): Map<string, string> {
    const delimiter = this.#take();
    const lists = [this.#delimited(delimiter, false), this.#delimited(delimiter, false)].map((list) =>
      (list.match(/\\[^]|[^]/gu) ?? []).map((one) =>
        one === "\\n" ? "\n" : one === "\\t" ? "\t" : one.replace(/^\\(?=[^])/, ""),
      ),
    );
    const [from = [], to = []] = lists;
    if (from.length !== to.length) throw new Refusal("strings for `y' command are different lengths");
    this.#end();
    return new Map(from.map((one, index) => [one, to[index] ?? ""]));
  }

  #label(name: string): string {
    this.#skip(/[ \t]/);
    const start = this.#at;
    this.#skip(name === ":" ? /[^\s;]/ : /[^\s;}]/);
    return this.#source.slice(start, this.#at);
  }

  /** Text with a line end; nothing if the script ends behind a backslash. A backslash keeps blanks at the beginning. */
  #text(): string {
    this.#skip(/[ \t]/);
    if (this.#peek() === "\\") {
      this.#at += 1;
      if (this.#at >= this.#source.length) return "";
      const start = this.#at;
      this.#skip(/[ \t]/);
      if (this.#peek() === "\n") this.#at += 1;
      else this.#at = start;
    }
    if (this.#at >= this.#source.length) throw new Refusal("expected \\ after `a', `c' or `i'");
    let text = "";
    for (;;) {
      const one = this.#take();
      if (one === "" || one === "\n") return `${text}\n`;
      if (one !== "\\") text += one;
      else {
        const escape = /^(?:x[\dA-Fa-f]{2}|[^])?/.exec(this.#source.slice(this.#at))?.[0] ?? "";
        this.#at += escape.length;
        text += escapedText(escape);
      }
    }
  }
}
