const DIGITS = "0123456789";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ALL = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));

/**
 * One item of a class: `\d`, a range or a single character, each end escaped or not. Other items are not understood.
 */
const ITEM = /\\([dw])(?!-)|(\\[^a-zA-Z0-9]|[^\\])(?:-(\\[^a-zA-Z0-9]|[^\\]))?/y;

/** The ASCII characters that `\d` and the like match; null for escapes that also match other characters. */
export function charsOfEscape(letter: string): string | null {
  if (letter === "d") return DIGITS;
  return letter === "w" ? `${DIGITS}${LETTERS}_` : null;
}

/** The ASCII characters that a class, given without brackets, matches; null if it may match others. */
export function charsOfClass(body: string): string | null {
  if (body === "" || body.startsWith("^")) return null;
  const chars = new Set<string>();
  ITEM.lastIndex = 0;
  while (ITEM.lastIndex < body.length) {
    const [all, escape, first = "", last = first] = ITEM.exec(body) ?? [];
    const found = all === undefined ? null : escape === undefined ? range(first, last) : charsOfEscape(escape);
    if (found === null) return null;
    for (const char of found) chars.add(char);
  }
  return [...chars].join("");
}

function range(first: string, last: string): string | null {
  const [from, to] = [first, last].map((end) => end.charCodeAt(end.length - 1));
  if (from === undefined || to === undefined || to >= ALL.length) return null;
  return ALL.slice(from, to + 1);
}

/** The characters with both cases of each letter. */
export function bothCases(chars: string): string {
  return [...new Set(`${chars}${chars.toLowerCase()}${chars.toUpperCase()}`)].join("");
}
