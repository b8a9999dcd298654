/** The lines of a text without their ends (LF or CRLF); a final line end does not start another line. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

/** The line, or its beginning with a note on how much is missing. */
export function cutLine(line: string, chars: number): string {
  if (line.length <= chars) return line;
  return `${line.slice(0, chars).toWellFormed()}… [${line.length - chars} more characters]`;
}

/** Number of lines that differ between two texts, not counting their common beginning and end. */
export function changedLines(before: string, after: string): { added: number; removed: number } {
  const old = linesWithEnds(before);
  const now = linesWithEnds(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return { added: now.length - start - end, removed: old.length - start - end };
}

/** Lines with their ends, so that a last line that loses or gains its line end counts as changed. */
function linesWithEnds(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const ended = lines.map((line) => `${line}\n`);
  return last === "" ? ended : [...ended, last];
}

export function lineNumberAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
