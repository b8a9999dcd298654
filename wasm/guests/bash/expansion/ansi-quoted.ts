import { textKeepingBytes, utf8Bytes } from "../../runtime/text-encoding.ts";

const BODY = /(?:[^\\']|\\[^])*/y;
const ESCAPE =
  /\\(?:x([\da-fA-F]{1,2})|x\{([\da-fA-F]+)\}|([0-7]{1,3})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|c([^])|([abeEfnrtv\\'"?]))/g;
const LETTERS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const BYTE = 0xff;
const CONTROL = 0x1f;

/** The value of `$'…'` whose text begins at an offset, and the offset behind its quote. */
export function ansiQuoted(source: string, start: number): { readonly value: string; readonly end: number } {
  BODY.lastIndex = start;
  const body = BODY.exec(source)?.[0] ?? "";
  const end = start + body.length + (source[start + body.length] === "'" ? 1 : 0);
  // Escapes may be single bytes of a character.
  const bytes = utf8Bytes(body).replace(ESCAPE, (_, ...groups: (string | undefined)[]) => {
    const [hex, braced, octal, short, long, control, letter = ""] = groups;
    const byte = hex ?? braced;
    if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16) & BYTE);
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & BYTE);
    const point = short ?? long;
    if (point !== undefined) return utf8Bytes(String.fromCodePoint(Number.parseInt(point, 16)));
    return control === undefined ? (LETTERS[letter] ?? letter) : String.fromCharCode(control.charCodeAt(0) & CONTROL);
  });
  return { value: textKeepingBytes(bytes.split("\0", 1).join("")), end };
}
