/** A class of at most 200 parts, a character by its number, an escape, the beginning of a named group, a line end. */
const PART = /\[(?:\\[^]|\[:\^?[a-z]+:\]|[^\]\\]){0,200}\]|\\x\{([0-9a-fA-F]{1,5})\}|\\[^]|\(\?P<|\n/g;

/** Escapes that JavaScript takes for the letter itself, without an error. */
const ESCAPES: Readonly<Record<string, string>> = { "\\<": "\\b", "\\>": "\\b", "\\A": "^", "\\z": "$", "\\Z": "$" };

/** Within a class. */
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

/** A line end as it stands in files, of Windows, too. */
const LINE_END = "(?:\\r?\\n)";

/** What models write as grep, ripgrep, Python or PCRE has it, where JavaScript would find nothing or something else. */
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
