/** Matches characters that are two columns wide. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
/** Matches characters without width. */
const NO_COLUMN = /\p{Mn}|\p{Me}|\p{Cf}/u;
/** Distance between tab stops, in columns. */
export const TAB = 8;

/** Width of a text in columns of a terminal. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += NO_COLUMN.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Column at which a line ends, with tabs expanded. */
export function endOfLine(line: string): number {
  const [first = "", ...parts] = line.split("\t");
  return parts.reduce((column, part) => column + TAB - (column % TAB) + widthOf(part), widthOf(first));
}
