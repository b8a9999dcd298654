/** A word of a command line. */
export interface ShellWord {
  readonly text: string;
  /** Whether it begins with a quote or a backslash. It is then a word even if it looks like a flag. */
  readonly quoted: boolean;
}

type ShellWords =
  | { readonly type: "words"; readonly words: readonly ShellWord[] }
  | { readonly type: "broken"; readonly reason: string };

/** The characters that close each kind of quote. Phones and Macs turn plain quotes into typographic ones. */
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["“", '”“"'],
  ["”", '”"'],
  ["„", '“”"'],
  ["‘", "’'"],
]);
const LITERAL = new Set(["'", "‘"]);
/** Number of characters shown after a quote that is never closed. */
const SHOWN_CHARS = 20;

/**
 * Splits a line like a shell: blanks separate words, quotes and backslashes keep them together, and adjacent parts
 * join.
 */
export function shellWords(line: string): ShellWords {
  const words: ShellWord[] = [];
  let at = 0;
  for (;;) {
    while (/\s/.test(line.charAt(at))) at += 1;
    if (at >= line.length) return { type: "words", words };
    const quoted = CLOSING.has(line.charAt(at)) || line.charAt(at) === "\\";
    let text = "";
    while (at < line.length && !/\s/.test(line.charAt(at))) {
      const part = readPart(line, at);
      if (part === null) return unclosed(line, at);
      text += part.text;
      at = part.end;
    }
    words.push({ text, quoted });
  }
}

interface Part {
  readonly text: string;
  readonly end: number;
}

/** Reads a quoted part, an escaped character or a plain one. Null if a quote is not closed. */
function readPart(line: string, at: number): Part | null {
  const char = line.charAt(at);
  const closing = CLOSING.get(char);
  if (closing !== undefined) return readQuoted(line, at, closing);
  if (char === "\\" && at + 1 < line.length) return { text: line.charAt(at + 1), end: at + 2 };
  return { text: char, end: at + 1 };
}

function readQuoted(line: string, start: number, closing: string): Part | null {
  const isLiteral = LITERAL.has(line.charAt(start));
  let text = "";
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (closing.includes(char)) return { text, end: at + 1 };
    const next = line.charAt(at + 1);
    if (char === "\\" && !isLiteral && (next === "\\" || (next !== "" && closing.includes(next)))) {
      text += next;
      at += 1;
    } else text += char;
  }
  return null;
}

function unclosed(line: string, at: number): ShellWords {
  const rest = line.slice(at, at + SHOWN_CHARS).replaceAll("`", "'");
  const cut = line.length > at + SHOWN_CHARS ? "…" : "";
  const reason = `The quote that starts at \`${rest}${cut}\` is never closed. Close it, or put a \\ before it to use it as it is.`;
  return { type: "broken", reason };
}
