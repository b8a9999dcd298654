/** Characters that end a line, are invisible, or reorder text. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A path as results show it, escaped so that a file name cannot add a line or hide anything. */
export function shownPath(path: string): string {
  return path.replaceAll(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
