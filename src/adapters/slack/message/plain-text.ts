/** `[words](address)` and `![words](address)`. */
const LINK = /!?\[([^[\]\n]*)\]\([^()\n]*\)/gu;
const ADDRESS = /<((?:https?|mailto):[^<>\s]*)>/gu;
const CODE_SPAN = /(?<!`)`+[^`\n]+`+/gu;
/** Placeholder for a code span, from the private use area so that no text contains it. */
const HELD = "\uE000";
const EMPHASIS = /(?<![*\\])(\*{1,3})(?=[^\s*])([^*\n]+)(?<=\S)\1(?!\*)/gu;
/** Emphasis with underscores, except within a word such as `max_turns`. */
const UNDERLINED = /(?<![\p{L}\p{N}_\\])(_{1,3})(?=[^\s_])([^_\n]+)(?<=\S)\1(?![\p{L}\p{N}_])/gu;
const STRUCK = /~~([^~\n]+)~~/gu;
const ESCAPED = /\\([\\`*_{}[\]()#+.!|>~-])/gu;
const FENCE = /^\s*(?:`{3,}|~{3,})/u;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/u;
/** If the line also has a dash and a bar, it separates a table's head from its rows. */
const TABLE_RULE_SIGNS = /^[\s|:-]+$/u;
const TABLE_ROW = /^\s*\|.*\|\s*$/u;
const LINE_START = /^(?:\s*>\s?)*(?:#{1,6}\s+)?/u;
const BULLET = /^(\s*)[-*+]\s+/u;

/** Markdown as plain text, for notifications, screen readers and search. */
export function plainText(markdown: string): string {
  const lines: string[] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (FENCE.test(line)) isCode = !isCode;
    else if (isCode || line === "") lines.push(line);
    else if (!RULE.test(line) && !isTableRule(line)) lines.push(lineOf(line));
  }
  return lines
    .join("\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();
}

function isTableRule(line: string): boolean {
  return TABLE_RULE_SIGNS.test(line) && line.includes("-") && line.includes("|");
}

function lineOf(line: string): string {
  const body = line.replace(LINE_START, "").replace(BULLET, "$1• ");
  const words = inline(body.replaceAll(LINK, "$1").replaceAll(ADDRESS, "$1"));
  return TABLE_ROW.test(words) ? cellsOf(words).join(" · ") : words;
}

function cellsOf(row: string): string[] {
  return row
    .split("|")
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "");
}

/** Removes marks of emphasis, except in code spans. */
function inline(text: string): string {
  const spans: string[] = [];
  const held = text.replaceAll(HELD, "").replaceAll(CODE_SPAN, (span) => {
    spans.push(span.replaceAll("`", ""));
    return HELD;
  });
  return withoutEmphasis(held).replaceAll(HELD, () => spans.shift() ?? "");
}

function withoutEmphasis(text: string): string {
  let bare = text;
  // Twice, since emphasis may be nested.
  for (let round = 0; round < 2; round += 1) bare = bare.replaceAll(EMPHASIS, "$2").replaceAll(UNDERLINED, "$2");
  return bare.replaceAll(STRUCK, "$1").replaceAll(ESCAPED, "$1");
}
