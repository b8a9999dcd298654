import { Refusal } from "../../text/command.ts";

/** A piece of a program; the kind of keywords and operators is their text. */
export interface Token {
  readonly kind: string;
  readonly text: string;
  /** For names: whether a parenthesis follows without a space, as it does in calls. */
  readonly isTouching: boolean;
  readonly line: number;
}

const KEYWORDS = new Set(
  "BEGIN END BEGINFILE ENDFILE function func if else while for do break continue next nextfile exit return delete in getline print printf switch case default".split(
    " ",
  ),
);

const SKIPPED = /(?:[ \t\r\f]+|\\\r?\n|#[^\n]*)+/y;
const NUMBER = /0x[\da-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?/iy;
const NAME = /[A-Za-z_]\w*/y;
const STRING = /"((?:\\[^]|[^"\\\n])*)"/y;
const PATTERN = /\/((?:\\[^]|\[\^?\]?(?:\[:\w+:\]|\\[^]|[^\]\n])*\]|[^/\\\n[])*)\//y;
const OPERATOR = /\*\*=|\|\||&&|\|&|>>|\+\+|--|[-+*/%^=!<>]=|\*\*|!~|[-+*/%^!<>|?:~$=(){}[\],;@]/y;

/** Behind these, a slash divides; elsewhere it begins a pattern. */
const OPERANDS = new Set(["number", "string", "pattern", "name", ")", "]", "$", "++", "--"]);
const SAME: Readonly<Record<string, string>> = { func: "function", "**": "^", "**=": "^=" };

export function tokensOf(program: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(program);
    at += found?.[0].length ?? 0;
    return found;
  };
  const put = (kind: string, text: string): void => {
    tokens.push({ kind, text, isTouching: program.charAt(at) === "(", line });
  };
  while (at < program.length) {
    line += take(SKIPPED)?.[0].match(/\n/g)?.length ?? 0;
    const one = program.charAt(at);
    if (one === "") break;
    if (one === "\n") {
      at += 1;
      put("newline", "newline");
      line += 1;
      continue;
    }
    const pattern = one === "/" && !OPERANDS.has(tokens.at(-1)?.kind ?? "") ? take(PATTERN) : null;
    if (pattern !== null) {
      put("pattern", (pattern[1] ?? "").replaceAll("\\/", "/"));
      continue;
    }
    const string = take(STRING);
    if (string !== null) {
      put("string", unescaped(string[1] ?? ""));
      line += string[0].match(/\n/g)?.length ?? 0;
      continue;
    }
    const number = take(NUMBER)?.[0];
    if (number !== undefined) {
      put("number", number);
      continue;
    }
    const name = take(NAME)?.[0];
    if (name !== undefined) {
      put(KEYWORDS.has(name) ? (SAME[name] ?? name) : "name", name);
      continue;
    }
    const operator = take(OPERATOR)?.[0];
    if (operator === undefined) throw new Refusal(`line ${line}: syntax error at or near ${one}`, 1);
    put(SAME[operator] ?? operator, operator);
  }
  put("newline", "newline");
  put("end", "end of program");
  return tokens;
}

const LETTERS: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\n": "",
};

/** Text of a string constant, or of a value of -v. */
export function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:([0-7]{1,3})|x([\dA-Fa-f]{1,2})|([^]))/g,
    (escape, octal: string | undefined, hex: string | undefined) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      const one = escape.slice(1);
      return LETTERS[one] ?? one;
    },
  );
}

/** Value of a numeral, which may be octal or hexadecimal. */
export function numeralOf(text: string): number {
  return /^0[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number(text);
}
