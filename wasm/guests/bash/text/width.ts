/** Characters that take two columns. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
/** Characters that take none. */
const NO_COLUMN = /\p{Mn}|\p{Me}|\p{Cf}/u;
/** Columns from one stop of tabs to the next. */
export const TAB = 8;

/** The columns of a terminal that a text takes. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += NO_COLUMN.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** The column at which a line ends, with its tabs. */
export function endOfLine(line: string): number {
  const [first = "", ...parts] = line.split("\t");
  return parts.reduce((column, part) => column + TAB - (column % TAB) + widthOf(part), widthOf(first));
}
