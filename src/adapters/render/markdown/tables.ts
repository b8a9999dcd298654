/** A table's second line: `| --- | :-: |`. */
const DELIMITERS = /^[ \t|:-]+$/u;

export function isDelimiter(line: string): boolean {
  return line.includes("|") && line.includes("-") && DELIMITERS.test(line);
}

/** Whether `line`, which `text` begins with, is one of the two that a table's rows stand below. */
export function isTableHead(text: string, line: string): boolean {
  if (!line.includes("|")) return false;
  return (
    isDelimiter(line) ||
    isDelimiter(
      text
        .slice(line.length + 1)
        .split("\n", 1)
        .join(""),
    )
  );
}

/**
 * The two lines of the table that the end of a text is in, to stand again above its next row; empty where `next` is none, or
 * where they have more than `maxChars`.
 */
export function tableHead(text: string, next: string, maxChars: number): string {
  const lines = text.split("\n");
  const at = lines.findLastIndex(isDelimiter);
  const [head = "", delimiter = ""] = lines.slice(at - 1, at + 1);
  const isWithin = at > 0 && [head, ...lines.slice(at), next].every((line) => line.includes("|"));
  const repeated = `${head}\n${delimiter}\n`;
  return isWithin && repeated.length <= maxChars ? repeated : "";
}
