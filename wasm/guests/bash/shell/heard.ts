import { bytesOfLatin1 } from "../../runtime/text-encoding.ts";

/** What a builtin has read: text, where its bytes are some. */
export function heard(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes) || /[\u0100-\uffff]/.test(bytes)) return bytes;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOfLatin1(bytes));
  } catch {
    return bytes;
  }
}
