/** Matches characters that are two columns wide. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/gu;
/** Matches characters without width. */
const NO_COLUMN = /\p{Mn}|\p{Me}|\p{Cf}/gu;
/** Distance between tab stops, in columns. */
export const TAB = 8;

/** Width of a text in columns of a terminal. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return characterCount(text.replace(NO_COLUMN, "").replace(WIDE, "  "));
}

/** Number of code points. */
export function characterCount(text: string): number {
  if (!/[\ud800-\udbff]/.test(text)) return text.length;
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, " ").length;
}

/** Column at which a line ends, with tabs expanded. */
export function endOfLine(line: string): number {
  const [first = "", ...parts] = line.split("\t");
  return parts.reduce((column, part) => column + TAB - (column % TAB) + widthOf(part), widthOf(first));
}
