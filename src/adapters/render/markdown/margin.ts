const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]/u;

/**
 * Removes the indentation from text cut out of a list item. Otherwise Markdown would treat lines indented by four as
 * code.
 */
export function atMargin(before: string, rest: string): string {
  const indent = /^[ \t]+(?=\S)/u.exec(rest)?.[0] ?? "";
  if (indent === "" || !isInItem(before, indentWidth(indent))) return rest;
  const lines = rest.split("\n");
  const end = lines.findIndex((line) => line.trim() !== "" && !line.startsWith(indent));
  return lines.map((line, index) => (end === -1 || index < end ? line.slice(indent.length) : line)).join("\n");
}

/** Whether lines with this indentation belong to a list item above them. */
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

/** Width of an indentation, with a tab as four columns. */
function indentWidth(indent: string): number {
  return indent.replaceAll("\t", "    ").length;
}
