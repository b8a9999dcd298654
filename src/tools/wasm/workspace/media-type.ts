import { Buffer, isUtf8 } from "node:buffer";

/** Number of leading bytes that determine what a file is. */
export const HEAD_BYTES = 8_192;

export const BINARY = "application/octet-stream";

/** Media type by leading bytes; "" for text. Text in an unknown encoding counts as text if it contains no NUL. */
export function mediaTypeOf(head: Buffer): string {
  const starts = (text: string, at = 0): boolean => head.toString("latin1", at, at + text.length) === text;
  if (starts("\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts("\xff\xd8\xff")) return "image/jpeg";
  if (starts("GIF87a") || starts("GIF89a")) return "image/gif";
  if (starts("RIFF") && starts("WEBP", 8)) return "image/webp";
  if (starts("%PDF-")) return "application/pdf";
  return head.includes(0) || !mostlyText(head) ? BINARY : "";
}

/**
 * Converts UTF-16 with a byte order mark, as Windows writes it, to UTF-8; returns anything else unchanged. An odd last
 * byte is dropped.
 */
export function inUtf8(bytes: Buffer): Buffer {
  const mark = bytes.toString("latin1", 0, 2);
  if (mark !== "\xff\xfe" && mark !== "\xfe\xff") return bytes;
  const units = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
  return Buffer.from((mark === "\xff\xfe" ? units : units.swap16()).toString("utf16le"));
}

/** Control characters other than white space, escape and form feed are rare in text of any encoding. */
function mostlyText(head: Buffer): boolean {
  if (isUtf8(head)) return true;
  let controls = 0;
  for (const byte of head) if (byte < 32 && !(byte >= 7 && byte <= 13) && byte !== 27) controls++;
  return controls * 50 <= head.length;
}
