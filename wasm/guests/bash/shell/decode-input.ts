import { textKeepingBytes } from "../../runtime/text-encoding.ts";

/** Decodes the UTF-8 in bytes that a builtin has read; input that is already decoded stays as it is. */
export function decodeInput(bytes: string): string {
  return /[\u0100-\uffff]/.test(bytes) ? bytes : textKeepingBytes(bytes);
}
