import { textKeepingBytes } from "../../runtime/text-encoding.ts";
import { isByteLocale } from "../locale.ts";

type Variables = ReadonlyMap<string, string>;

/** Decodes the UTF-8 in bytes that a builtin has read; input that is already decoded stays as it is. */
export function decodeInput(bytes: string): string {
  return /[\u0100-\uffff]/.test(bytes) ? bytes : textKeepingBytes(bytes);
}

/** The index before which `read` has no character to treat differently; with escapes, backslashes are such. */
export function plainEnd(input: string, { from, delimiter, hasEscapes }: PlainText): number {
  const found = input.indexOf(delimiter, from);
  const end = found === -1 ? input.length : found;
  const escape = hasEscapes ? input.slice(from, end).indexOf("\\") : -1;
  return escape === -1 ? end : from + escape;
}

interface PlainText {
  readonly from: number;
  readonly delimiter: string;
  readonly hasEscapes: boolean;
}

/** Whether the byte at an offset belongs to the same character as the one before it. */
export function isContinuationByte(bytes: string, at: number, variables: Variables): boolean {
  return /[\u0080-\u00bf]/.test(bytes.charAt(at)) && !isByteLocale((name) => variables.get(name));
}

/** Byte offset at which the given number of characters ends. */
function byteOffsetOf(characters: number, bytes: string, variables: Variables): number {
  const isWithin = (at: number) => isContinuationByte(bytes, at, variables);
  let at = 0;
  for (let found = 0; at < bytes.length && (found < characters || isWithin(at)); at++) if (!isWithin(at)) found++;
  return at;
}

/** Matches an escaped line end, a character that may be escaped, or a backslash that is escaped or the last. */
const READ = /(\\\n)|\\?([^\\][\u0080-\u00bf]*)|\\(\\?)/y;
/** The same where each byte is a character. */
const READ_BYTES = /(\\\n)|\\?([^\\])|\\(\\?)/y;

interface Reading {
  /** Whether backslashes are plain characters. */
  readonly isRaw: boolean;
  readonly variables: Variables;
}

/** Takes the bytes of a number of characters; a backslash before one is dropped, and a line end with it. */
export function readCharacters(
  count: number,
  input: string,
  { isRaw, variables }: Reading,
): { taken: number; bytes: string } {
  const taken = byteOffsetOf(count, input, variables);
  if (isRaw || !input.slice(0, taken).includes("\\")) return { taken, bytes: input.slice(0, taken) };
  const pattern = isByteLocale((name) => variables.get(name)) ? READ_BYTES : READ;
  let [at, found, bytes] = [0, 0, ""];
  while (found < count && at < input.length) {
    pattern.lastIndex = at;
    const [all = "", lineEnd, character = "", backslash = ""] = pattern.exec(input) ?? [];
    at += all.length;
    bytes += character + backslash;
    if (lineEnd === undefined) found++;
  }
  return { taken: at, bytes };
}
