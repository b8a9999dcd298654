/** Comments and elements whose text may look like tags without being any, and the tags of main parts. */
const MARKS = /<!--|<(script|style|template|svg)[\s>]|<(\/?)main[\s>]/gi;
const END_OF_COMMENT = /-->/g;
const ENDS: Readonly<Record<string, RegExp>> = {
  script: /<\/script/gi,
  style: /<\/style/gi,
  template: /<\/template/gi,
  svg: /<\/svg/gi,
};

/**
 * The HTML from the first `<main>` to the last end of one, or to the end of the page; null if it has none. Tags within
 * comments and scripts do not count.
 */
export function mainPart(html: string): string | null {
  let start: number | null = null;
  let end: number | null = null;
  MARKS.lastIndex = 0;
  for (let mark = MARKS.exec(html); mark !== null; mark = MARKS.exec(html)) {
    const [, opaque, slash] = mark;
    if (slash === "") start ??= mark.index;
    else if (slash === "/") end = mark.index;
    else if (!skipPast(ENDS[opaque?.toLowerCase() ?? ""] ?? END_OF_COMMENT, html)) break;
  }
  if (start === null) return null;
  return end !== null && end > start ? html.slice(start, end) : html.slice(start);
}

/** Continues the search for marks after the next match; false if there is none. */
function skipPast(pattern: RegExp, html: string): boolean {
  pattern.lastIndex = MARKS.lastIndex;
  const isFound = pattern.test(html);
  MARKS.lastIndex = pattern.lastIndex;
  return isFound;
}
