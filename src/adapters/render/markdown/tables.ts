/** A table's second line: `| --- | :-: |`. */
const DELIMITERS = /^[ \t|:-]+$/u;

export function isDelimiter(line: string): boolean {
  return line.includes("|") && line.includes("-") && DELIMITERS.test(line);
}

/** Whether `line`, with which `text` begins, is one of the two lines of a table's head. */
export function isTableHead(text: string, line: string): boolean {
  if (!line.includes("|")) return false;
  const [next = ""] = text.slice(line.length + 1).split("\n", 1);
  return isDelimiter(line) || isDelimiter(next);
}

/**
 * The head of the table in which `text` ends, to be repeated above its next row. Empty if `next` is not a row of a
 * table, or the head is longer than `maxChars`.
 */
export function tableHead(text: string, next: string, maxChars: number): string {
  const lines = text.split("\n");
  const at = lines.findLastIndex(isDelimiter);
  const [head = "", delimiter = ""] = lines.slice(at - 1, at + 1);
  const isWithin = at > 0 && [head, ...lines.slice(at), next].every((line) => line.includes("|"));
  const repeated = `${head}\n${delimiter}\n`;
  return isWithin && repeated.length <= maxChars ? repeated : "";
}
