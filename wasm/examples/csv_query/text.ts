import { readBase64, readText } from "deckhand:extension/files@0.1.0";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Windows-1252 from 0x80 to 0x9f; every other byte is the character with its number. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Text of a file in UTF-8, or as Excel saves it: in UTF-16 with a byte order mark, or in Windows-1252. */
export function textOf(file: string): string {
  try {
    return readText(file);
  } catch (error) {
    const bytes = bytesOf(readBase64(file));
    const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? 0 : bytes[0] === 0xfe && bytes[1] === 0xff ? 1 : null;
    if (mark !== null) return utf16(bytes, mark);
    if (bytes.includes(0)) throw error;
    return characters(bytes, (byte) => (byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252.charCodeAt(byte - 0x80) : byte));
  }
}

function bytesOf(base64: string): number[] {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const digit of base64.replace(/=+$/, "")) {
    held = ((held << 6) | DIGITS.indexOf(digit)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  return bytes;
}

/** `low` is the index of the lower byte of each pair. */
function utf16(bytes: readonly number[], low: 0 | 1): string {
  const units: number[] = [];
  for (let at = 2; at + 1 < bytes.length; at += 2)
    units.push((bytes[at + low] ?? 0) | ((bytes[at + 1 - low] ?? 0) << 8));
  return characters(units, (unit) => unit);
}

function characters(units: readonly number[], charCode: (unit: number) => number): string {
  const parts: string[] = [];
  for (let at = 0; at < units.length; at += 4_096)
    parts.push(String.fromCharCode(...units.slice(at, at + 4_096).map(charCode)));
  return parts.join("");
}
