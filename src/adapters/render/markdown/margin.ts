const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]/u;

/**
 * What is cut out of a list, beginning at the margin: Markdown takes lines for code that are indented by four without an item
 * above them.
 */
export function atMargin(before: string, rest: string): string {
  const indent = /^[ \t]+(?=\S)/u.exec(rest)?.[0] ?? "";
  if (indent === "" || !isInItem(before, indentWidth(indent))) return rest;
  const lines = rest.split("\n");
  const end = lines.findIndex((line) => line.trim() !== "" && !line.startsWith(indent));
  return lines.map((line, index) => (end === -1 || index < end ? line.slice(indent.length) : line)).join("\n");
}

/** Whether lines that are indented so are within a list item above them. */
function isInItem(before: string, columns: number): boolean {
  let within = columns;
  for (const line of before.split("\n").toReversed()) {
    const indent = indentWidth(/^[ \t]*/u.exec(line)?.[0] ?? "");
    if (line.trim() === "" || indent >= within) continue;
    if (ITEM.test(line)) return true;
    within = indent;
  }
  return false;
}

/** A tab counts as four. */
function indentWidth(indent: string): number {
  return indent.replaceAll("\t", "    ").length;
}
