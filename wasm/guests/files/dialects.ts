/** A class of at most 200 parts, a character by its number, an escape, the start of a named group, or a line end. */
const PART = /\[(?:\\[^]|\[:\^?[a-z]+:\]|[^\]\\]){0,200}\]|\\x\{([0-9a-fA-F]{1,5})\}|\\[^]|\(\?P<|\n/g;

/** Escapes that JavaScript silently treats as the letter itself. */
const ESCAPES: Readonly<Record<string, string>> = { "\\<": "\\b", "\\>": "\\b", "\\A": "^", "\\z": "$", "\\Z": "$" };

/** POSIX names within a class. */
const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: " \\t",
  digit: "0-9",
  lower: "a-z",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

/** A line end as found in files, including those of Windows. */
const LINE_END = "(?:\\r?\\n)";

/**
 * Translates what models write in the syntax of grep, ripgrep, Python or PCRE and JavaScript would understand
 * differently.
 */
export function asJavaScript(source: string): { readonly pattern: string; readonly namesLineEnd: boolean } {
  let namesLineEnd = false;
  const pattern = source.replace(PART, (part, code: string | undefined) => {
    if (part.startsWith("[")) return part.replace(/\[:([a-z]+):\]/g, (all, name: string) => POSIX[name] ?? all);
    if (code !== undefined) return `\\u${code.padStart(4, "0")}`.replace(/^\\u(.{5})$/, "\\u{$1}");
    if (part === "(?P<") return "(?<";
    if (part !== "\n" && part !== "\\n") return ESCAPES[part] ?? part;
    namesLineEnd = true;
    return LINE_END;
  });
  return { pattern, namesLineEnd };
}
