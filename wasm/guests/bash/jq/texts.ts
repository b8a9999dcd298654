import { bytesOfLatin1, utf8Bytes } from "../../runtime/text-encoding.ts";
import { singleQuoted } from "../expansion/quoting.ts";
import { textOf, valueOf } from "./json.ts";
import { describe, split } from "./operators.ts";
import { matchesIn } from "./regex.ts";
import { charactersOf, indicesOf, isArray, isNumber, isObject, JqError, type Json, typeOf } from "./values.ts";

/** A function of values: its input, then its arguments. */
export type ValueFunction = (input: Json, ...args: readonly Json[]) => Json;

export function text(value: Json): string {
  return typeof value === "string" ? value : textOf(value);
}

function stringOf(value: Json | undefined, what: string): string {
  if (typeof value !== "string") throw new JqError(`${describe(value ?? null)} ${what}`);
  return value;
}

function ofStrings(name: string, apply: (a: string, b: string) => Json): ValueFunction {
  return (input, arg) => {
    if (typeof input !== "string" || typeof arg !== "string") throw new JqError(`${name} requires string inputs`);
    return apply(input, arg);
  };
}

function ofString(what: string, apply: (text: string) => Json): ValueFunction {
  return (input) => apply(stringOf(input, what));
}

function lowered(input: Json): Json {
  return stringOf(input, "cannot be made lowercase").replace(/[A-Z]/g, (char) => char.toLowerCase());
}

function trimmed(start: boolean, end: boolean): ValueFunction {
  return ofString("cannot be trimmed", (input) => {
    const text = start ? input.trimStart() : input;
    return end ? text.trimEnd() : text;
  });
}

function imploded(input: Json): Json {
  if (!isArray(input)) throw new JqError(`${describe(input)} cannot be imploded, must be an array of codepoints`);
  return input
    .map((point) => {
      if (!isNumber(point) || Number.isNaN(point)) throw new JqError("Unicode codepoint must be numeric");
      const code = Math.trunc(Number(point));
      return code > 0x10ffff || code < 0 || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code);
    })
    .join("");
}

/** Returns the offsets of all occurrences, overlapping ones included, in code points. */
function placesIn(text: string, part: string): Json {
  if (part === "") return null;
  const isAscii = text.length === charactersOf(text).length;
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1))
    places.push(isAscii ? at : charactersOf(text.slice(0, at)).length);
  return places;
}

function indices(input: Json, part: Json = null): Json {
  if (input === null) return null;
  if (typeof input === "string" && typeof part === "string") return placesIn(input, part);
  if (!isArray(input)) throw new JqError(`Cannot determine indices of ${typeOf(part)} in ${typeOf(input)}`);
  return indicesOf(input, isArray(part) ? part : [part]);
}

function numberFrom(input: Json): Json {
  if (isNumber(input)) return input;
  const number =
    typeof input === "string" && /^[-+]?[.\dinfNa][-+.\deEinfNay]*$/.test(input)
      ? readNumber(input.replace(/^\+/, ""))
      : null;
  if (number === null) throw new JqError(`${describe(input)} cannot be parsed as a number`);
  return number;
}

function readNumber(digits: string): Json {
  try {
    return valueOf(digits);
  } catch {
    return null;
  }
}

function matches(input: Json, pattern: Json = null, flags: Json = null): Json {
  if (typeof input !== "string") throw new JqError(`${describe(input)} cannot be matched, as it is not a string`);
  if (isArray(pattern)) return matches(input, pattern[0], pattern[1]);
  if (typeof pattern !== "string") throw new JqError(`${describe(pattern)} cannot be matched, as it is not a string`);
  if (flags !== null && typeof flags !== "string") throw new JqError(`${describe(flags)} is not a string`);
  return matchesIn(input, { pattern, flags: flags ?? "" });
}

function parsedJson(input: Json): Json {
  const source = stringOf(input, "only strings can be parsed");
  try {
    return valueOf(source);
  } catch (error) {
    throw error instanceof JqError ? new JqError(`${error.message} (while parsing '${source}')`) : error;
  }
}

export const TEXTS: Readonly<Record<string, ValueFunction>> = {
  "tostring/0": text,
  "tojson/0": (input) => textOf(input),
  "fromjson/0": parsedJson,
  "tonumber/0": numberFrom,
  "toboolean/0": (input) => {
    if (typeof input === "boolean") return input;
    if (input !== "true" && input !== "false") throw new JqError(`${describe(input)} cannot be parsed as a boolean`);
    return input === "true";
  },
  "ascii_downcase/0": lowered,
  "ascii_upcase/0": ofString("cannot be made uppercase", (input) =>
    input.replace(/[a-z]/g, (char) => char.toUpperCase()),
  ),
  "explode/0": ofString("cannot be exploded", (input) => charactersOf(input).map((char) => char.codePointAt(0) ?? 0)),
  "implode/0": imploded,
  "utf8bytelength/0": ofString("only strings have UTF-8 byte length", (input) => utf8Bytes(input).length),
  "startswith/1": ofStrings("startswith()", (input, part) => input.startsWith(part)),
  "endswith/1": ofStrings("endswith()", (input, part) => input.endsWith(part)),
  "split/1": (input, separator) => {
    if (typeof input === "string" && typeof separator === "string") return split(input, separator);
    throw new JqError("split input and separator must be strings");
  },
  "trim/0": trimmed(true, true),
  "ltrim/0": trimmed(true, false),
  "rtrim/0": trimmed(false, true),
  "ltrimstr/1": (input, part) =>
    typeof input === "string" && typeof part === "string" && input.startsWith(part) ? input.slice(part.length) : input,
  "rtrimstr/1": (input, part) =>
    typeof input === "string" && typeof part === "string" && input.endsWith(part)
      ? input.slice(0, input.length - part.length)
      : input,
  "indices/1": indices,
  "_matches/2": matches,
};

function bytesAsText(latin1: string): string {
  return new TextDecoder("utf-8").decode(bytesOfLatin1(latin1));
}

const HTML: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&#39;", '"': "&quot;" };
const TSV: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function row(format: string, separator: string, quote: (text: string) => string): (value: Json) => string {
  return (value) => {
    if (!isArray(value)) throw new JqError(`${describe(value)} cannot be ${format}-formatted, only an array can be`);
    const cell = (item: Json): string => {
      if (item === null) return "";
      if (typeof item === "string") return quote(item);
      if (typeof item === "object") throw new JqError(`${describe(item)} is not valid in a ${format} row`);
      return textOf(item);
    };
    return value.map(cell).join(separator);
  };
}

function shellWord(item: Json): string {
  if (isArray(item) || isObject(item)) throw new JqError(`${describe(item)} can not be escaped for shell`);
  return typeof item === "string" ? singleQuoted(item) : textOf(item);
}

function base32(value: Json): string {
  const bits = Array.from(utf8Bytes(text(value)), (byte) => byte.charCodeAt(0).toString(2).padStart(8, "0")).join("");
  const chars = (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]);
  return chars.join("").padEnd(Math.ceil(chars.length / 8) * 8, "=");
}

function withoutPadding(value: Json): string {
  const chars = text(value);
  return chars.slice(0, chars.length - (chars.match(/={1,6}$/)?.[0].length ?? 0));
}

function fromBase32(value: Json): string {
  const chars = withoutPadding(value);
  if (/[^A-Z2-7]/.test(chars)) throw new JqError(`${describe(value)} is not valid base32 data`);
  const bits = Array.from(chars, (char) => BASE32.indexOf(char).toString(2).padStart(5, "0")).join("");
  return bytesAsText((bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join(""));
}

function fromBase64(value: Json): string {
  const chars = withoutPadding(value);
  if (/[^\w+/]|_/.test(chars) || chars.length % 4 === 1)
    throw new JqError(`${describe(value)} is not valid base64 data`);
  return bytesAsText(atob(chars));
}

function fromPercents(value: Json): string {
  const invalid = new JqError(`${describe(value)} is not a valid uri encoding`);
  const bytes = utf8Bytes(text(value)).replace(/%(.{0,2})/g, (_, hex: string) => {
    if (!/^[\da-fA-F]{2}$/.test(hex)) throw invalid;
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
  return bytesAsText(bytes);
}

export const FORMATS: Readonly<Record<string, (value: Json) => string>> = {
  "@text": text,
  "@json": (value) => textOf(value),
  "@html": (value) => text(value).replace(/[<>&'"]/g, (char) => HTML[char] ?? char),
  "@uri": (value) => encodeURIComponent(text(value)).replace(/[!'()*]/g, (char) => `%${shownHex(char)}`),
  "@urid": fromPercents,
  "@csv": row("csv", ",", (cell) => `"${cell.replaceAll('"', '""')}"`),
  "@tsv": row("tsv", "\t", (cell) => cell.replace(/[\\\t\n\r]/g, (char) => TSV[char] ?? char)),
  "@sh": (value) => (isArray(value) ? value.map(shellWord).join(" ") : shellWord(value)),
  "@base64": (value) => btoa(utf8Bytes(text(value))),
  "@base64d": fromBase64,
  "@base32": base32,
  "@base32d": fromBase32,
};

function shownHex(char: string): string {
  return char.charCodeAt(0).toString(16).toUpperCase();
}
