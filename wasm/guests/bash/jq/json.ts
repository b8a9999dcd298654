import { isArray, isObject, JqError, type Json, sortedKeys } from "./values.ts";

/** Matches a number as jq accepts it, including the names of numbers that JSON lacks. */
const NUMBER = /-?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|Infinity|NaN|nan)/y;
// oxlint-disable-next-line no-control-regex -- the range is what is meant
const PLAIN_TEXT = /[^"\\\0-\u001f]*"/y;
const ESCAPED_TEXT = /(?:[^"\\]|\\[^])*"/y;
// oxlint-disable-next-line no-control-regex -- what separates records in RFC 7464
const SPACE = /[ \t\r\n\u001e\ufeff]*/y;
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;
/** A value may hold others to this depth. */
const MAX_DEPTH = 2_000;

/** Parses a text that holds exactly one value. */
export function valueOf(text: string): Json {
  const reader = new Reader(text);
  const value = reader.value();
  if (!reader.isAtEnd()) throw new JqError("Unexpected extra JSON values");
  return value;
}

/** Reads consecutive values from a text. */
export class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Up to the end of the line that the last value ends in. */
  get lines(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return this.#text.slice(0, end === -1 ? undefined : end + 1).split("\n").length - 1;
  }

  isAtEnd(): boolean {
    this.#take(SPACE);
    return this.#at >= this.#text.length;
  }

  value(depth = 0): Json {
    if (depth > MAX_DEPTH) throw this.#unexpected("Exceeds depth limit for parsing");
    this.#take(SPACE);
    switch (this.#text[this.#at]) {
      case '"':
        this.#at++;
        return this.#string();
      case "[":
        return this.#array(depth);
      case "{":
        return this.#object(depth);
      default:
        return this.#literal();
    }
  }

  #array(depth: number): Json {
    this.#at++;
    const items: Json[] = [];
    if (this.#skip("]")) return items;
    do items.push(this.value(depth + 1));
    while (this.#skip(","));
    if (!this.#skip("]")) throw this.#unexpected("Expected , or ]");
    return items;
  }

  #object(depth: number): Json {
    this.#at++;
    const object = new Map<string, Json>();
    if (this.#skip("}")) return object;
    do {
      if (!this.#skip('"')) throw this.#unexpected("Object keys must be strings");
      const key = this.#string();
      if (!this.#skip(":")) throw this.#unexpected("Objects must consist of key:value pairs");
      object.set(key, this.value(depth + 1));
    } while (this.#skip(","));
    if (!this.#skip("}")) throw this.#unexpected("Expected , or }");
    return object;
  }

  /** Behind its first quote. */
  #string(): string {
    const plain = this.#take(PLAIN_TEXT);
    if (plain !== null) return plain.slice(0, -1);
    const escaped = this.#take(ESCAPED_TEXT);
    if (escaped === null) throw this.#unexpected("Unfinished string");
    // oxlint-disable-next-line no-control-regex -- JSON.parse does not take them
    const strict = escaped.replace(/[\0-\u001f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
    try {
      return String(JSON.parse(`"${strict}`)).toWellFormed();
    } catch {
      throw this.#unexpected("Invalid escape");
    }
  }

  #literal(): Json {
    const word = WORDS.find(([name]) => this.#text.startsWith(name, this.#at));
    if (word !== undefined) {
      this.#at += word[0].length;
      return word[1];
    }
    const digits = this.#take(NUMBER);
    if (digits === null || /^[\w.]/.test(this.#text.slice(this.#at, this.#at + 1)))
      throw this.#unexpected(this.isAtEnd() ? "Unfinished JSON term" : "Invalid literal");
    return numberOf(digits);
  }

  #skip(char: string): boolean {
    this.#take(SPACE);
    const is = this.#text[this.#at] === char;
    if (is) this.#at++;
    return is;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return null;
    this.#at = pattern.lastIndex;
    return found;
  }

  #unexpected(what: string): JqError {
    const lines = this.#text.slice(0, this.#at).split("\n");
    return new JqError(`${what} at line ${lines.length}, column ${lines.at(-1)?.length ?? 0}`);
  }
}

/** Parses a number, keeping all digits of an integer because it may be an identifier. */
export function numberOf(digits: string): number | bigint {
  const number = digits.toLowerCase().endsWith("nan") ? Number.NaN : Number(digits);
  return /^-?\d{16,}$/.test(digits) && !Number.isSafeInteger(number) ? BigInt(digits) : number;
}

export interface Layout {
  /** What one level is indented by; null for one line. */
  readonly indent: string | null;
  readonly sortsKeys: boolean;
  readonly ascii: boolean;
}

const ONE_LINE: Layout = { indent: null, sortsKeys: false, ascii: false };

export function textOf(value: Json, layout: Layout = ONE_LINE): string {
  const text = serialize(value, layout, "\n");
  if (!layout.ascii) return text;
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function serialize(value: Json, layout: Layout, lineEnd: string): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return numeral(value);
  const inner = layout.indent === null ? "" : lineEnd + layout.indent;
  const end = layout.indent === null ? "" : lineEnd;
  if (isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${inner}${value.map((item) => serialize(item, layout, inner)).join(`,${inner}`)}${end}]`;
  }
  if (!isObject(value)) return String(value);
  if (value.size === 0) return "{}";
  const colon = layout.indent === null ? ":" : ": ";
  const entry = (key: string) => `${JSON.stringify(key)}${colon}${serialize(value.get(key) ?? null, layout, inner)}`;
  const keys = layout.sortsKeys ? sortedKeys(value) : [...value.keys()];
  return `{${inner}${keys.map(entry).join(`,${inner}`)}${end}}`;
}

function numeral(value: number): string {
  if (Number.isNaN(value)) return "null";
  if (Math.abs(value) === Infinity) return `${value < 0 ? "-" : ""}${Number.MAX_VALUE}`;
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Maximum length of a value in an error message, in characters. */
const MAX_SHOWN = 29;

/** Formats a value for error messages, truncated. */
export function preview(value: Json): string {
  const text = textOf(value);
  if (text.length <= MAX_SHOWN) return text;
  const closing = typeof value === "string" ? '"' : isArray(value) ? "]" : isObject(value) ? "}" : "";
  return `${text.slice(0, MAX_SHOWN - 3 - closing.length)}...${closing}`;
}
