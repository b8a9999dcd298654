/** Shows text of a model or a stranger so that nothing in it is hidden or looks like something else. */

/**
 * Control characters, those that reorder text on the screen, and invisible or blank ones other than spaces. Excludes
 * the joiners within composed emoji and between letters of scripts that need them, which have a visible effect.
 */
const UNPRINTABLE =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})|(?<=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Gujr}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Taml}\p{scx=Telu}])[\u200c\u200d](?=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Gujr}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Taml}\p{scx=Telu}]))(?:[\p{Cc}\p{Cf}\u2028\u2029\u2800]|(?! |\ufe0f)[\p{Zs}\p{Default_Ignorable_Code_Point}])/gu;

/** At most `maxChars` UTF-16 units, never half a character, with an ellipsis if something was cut. */
export function cut(text: string, maxChars: number): string {
  // A surrogate half at the cut is dropped.
  return text.length <= maxChars ? text : `${text.slice(0, Math.max(0, maxChars - 1)).replace(/\p{Cs}$/u, "")}…`;
}

/** One line of at most `maxChars`, with a visible cut. Unprintable characters are escaped, line ends become spaces. */
export function plainLine(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/gu, " ").replaceAll(UNPRINTABLE, escaped).trim();
  return line.length <= maxChars ? line : `${cut(line, maxChars).slice(0, -1).trimEnd()}…`;
}

/**
 * Escapes Markdown, so that no bold, code or link begins or ends within the text. A name or a path reads as it is, and
 * cannot imitate other parts of the message. Underscores between letters mean nothing and stay as they are.
 */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\*`~|[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\$&`);
}

/** Reverts `escapeMarkdown`, for places that show no Markdown. */
export function unescapeMarkdown(markdown: string): string {
  return markdown.replaceAll(/\\([\\*_`~|[\]])/gu, "$1");
}

/** A code span that holds any text, on one line. */
export function inlineCode(text: string, maxChars: number): string {
  const line = plainLine(text, maxChars);
  if (line === "") return "";
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/gu)].map(([run]) => run.length));
  const marker = "`".repeat(longestRun + 1);
  const pad = longestRun > 0 ? " " : "";
  return `${marker}${pad}${line}${pad}${marker}`;
}

/** Text on several lines, with invisible and reordering characters escaped. */
export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(UNPRINTABLE, (char) => (char === "\n" || char === "\t" ? char : escaped(char)))
    .toWellFormed();
}

/** A code block that holds any text. */
export function codeBlock(text: string, language: string): string {
  const longestRun = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longestRun + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** `\u{202e}`: a character by its number. */
export function escaped(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
