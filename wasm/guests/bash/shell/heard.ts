import { textKeepingBytes } from "../../runtime/text-encoding.ts";

/** What a builtin has read: text, where its bytes are some. */
export function heard(bytes: string): string {
  return /[\u0100-\uffff]/.test(bytes) ? bytes : textKeepingBytes(bytes);
}
