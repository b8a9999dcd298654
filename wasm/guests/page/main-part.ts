/** Elements whose text may look like tags without being any. */
const OPAQUE = ["script", "style", "template", "noscript", "svg"];
const MARKS = new RegExp(`<!--|<(${OPAQUE.join("|")})[\\s>]|<(/?)main[\\s>]`, "gi");
const END_OF_COMMENT = /-->/g;
const ENDS = new Map(OPAQUE.map((name) => [name, new RegExp(`</${name}`, "gi")]));

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
    else if (!skip(html, ENDS.get(opaque?.toLowerCase() ?? "") ?? END_OF_COMMENT)) break;
  }
  if (start === null) return null;
  return end !== null && end > start ? html.slice(start, end) : html.slice(start);
}

/** Continues the search for marks after the next match; false if there is none. */
function skip(html: string, past: RegExp): boolean {
  past.lastIndex = MARKS.lastIndex;
  const found = past.test(html);
  MARKS.lastIndex = past.lastIndex;
  return found;
}
