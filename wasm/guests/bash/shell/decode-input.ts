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
