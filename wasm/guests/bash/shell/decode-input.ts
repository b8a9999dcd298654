import { textKeepingBytes } from "../../runtime/text-encoding.ts";

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

/** Whether the byte at an offset is a continuation byte of UTF-8. */
export function isContinuationByte(bytes: string, at: number): boolean {
  return /[\u0080-\u00bf]/.test(bytes.charAt(at));
}

/** Byte offset at which the given number of characters ends. */
function byteOffsetOf(characters: number, bytes: string): number {
  let at = 0;
  for (let found = 0; at < bytes.length && (found < characters || isContinuationByte(bytes, at)); at++)
    if (!isContinuationByte(bytes, at)) found++;
  return at;
}

/** Matches an escaped line end, a character that may be escaped, or a backslash that is escaped or the last. */
const READ = /(\\\n)|\\?([^\\][\u0080-\u00bf]*)|\\(\\?)/y;

/** Takes the bytes of a number of characters; a backslash before one is dropped, and a line end with it. */
export function readCharacters(count: number, input: string, isRaw: boolean): { taken: number; bytes: string } {
  const taken = byteOffsetOf(count, input);
  if (isRaw || !input.slice(0, taken).includes("\\")) return { taken, bytes: input.slice(0, taken) };
  let [at, found, bytes] = [0, 0, ""];
  while (found < count && at < input.length) {
    READ.lastIndex = at;
    const [all = "", lineEnd, character = "", backslash = ""] = READ.exec(input) ?? [];
    at += all.length;
    bytes += character + backslash;
    if (lineEnd === undefined) found++;
  }
  return { taken: at, bytes };
}
