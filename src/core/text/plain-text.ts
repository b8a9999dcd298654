/** Text of a model or a stranger, shown so that nothing in it is hidden or looks like something else. */

/**
 * Control characters, those that reorder text on the screen, and those that show as nothing or as a blank, but are none. The
 * joiners within emoji of several parts, and between letters of scripts that need them, are seen.
 */
const UNPRINTABLE =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})|(?<=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Gujr}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Taml}\p{scx=Telu}])[\u200c\u200d](?=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Gujr}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Taml}\p{scx=Telu}]))(?:[\p{Cc}\p{Cf}\u2028\u2029\u2800]|(?! |\ufe0f)[\p{Zs}\p{Default_Ignorable_Code_Point}])/gu;

/** At most `maxChars` UTF-16 units, never half a character, with an ellipsis where something is missing. */
export function cut(text: string, maxChars: number): string {
  // A character of two units is left out rather than cut in half.
  return text.length <= maxChars ? text : `${text.slice(0, Math.max(0, maxChars - 1)).replace(/\p{Cs}$/u, "")}…`;
}

/** One line of at most `maxChars`, with a visible cut; unprintable characters are shown escaped, line ends as spaces. */
export function plainLine(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/gu, " ").replaceAll(UNPRINTABLE, escaped).trim();
  return line.length <= maxChars ? line : `${cut(line, maxChars).slice(0, -1).trimEnd()}…`;
}

/**
 * No bold, code or link begins or ends within the text: a name or a path reads as it is called, and cannot look like another
 * part of what it stands in. Underlines between letters mean nothing and stay as they are.
 */
export function unstyled(text: string): string {
  return text.replaceAll(/[\\*`~|[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\$&`);
}

/** The same where nothing of Markdown means anything: as it was before it was escaped. */
export function asWritten(markdown: string): string {
  return markdown.replaceAll(/\\([\\*_`~|[\]])/gu, "$1");
}

/** A code span that holds whatever text it is given, on one line. */
export function inlineCode(text: string, maxChars: number): string {
  const line = plainLine(text, maxChars);
  if (line === "") return "";
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/gu)].map(([run]) => run.length));
  const marker = "`".repeat(longestRun + 1);
  const pad = longestRun > 0 ? " " : "";
  return `${marker}${pad}${line}${pad}${marker}`;
}

/** Text on several lines as it is: what would not be seen, or would reorder the rest, is written out. */
export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(UNPRINTABLE, (char) => (char === "\n" || char === "\t" ? char : escaped(char)))
    .toWellFormed();
}

/** A code block that holds whatever text it is given. */
export function codeBlock(text: string, language: string): string {
  const longestRun = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longestRun + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function escaped(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
