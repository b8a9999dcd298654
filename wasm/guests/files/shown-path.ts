/** What ends a line, is not seen, or reorders what is. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A path as results name it: a file's name adds no line to them and hides nothing. */
export function shownPath(path: string): string {
  return path.replaceAll(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
