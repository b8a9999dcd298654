interface Token {
  readonly type: string;
  readonly value?: unknown;
  readonly line?: number;
  readonly column?: number;
}

interface Parser {
  readonly tokens: Token[];
  readonly pos: number;
}

const ENDS = new Set(["NEWLINE", "SEMICOLON", "RBRACE", "GT", "APPEND", "PIPE", "EOF"]);

/** Removes the parentheses around the list that `print` prints. */
export function removeListParentheses({ tokens, pos }: Parser): void {
  if (tokens[pos]?.type !== "LPAREN") return;
  let depth = 0;
  let isList = false;
  for (let at = pos; at < tokens.length; at++) {
    const type = tokens[at]?.type;
    if (type === "LPAREN") depth++;
    if (type === "COMMA" && depth === 1) isList = true;
    if (type !== "RPAREN" || --depth > 0) continue;
    if (isList && ENDS.has(tokens[at + 1]?.type ?? "EOF")) {
      tokens.splice(at, 1);
      tokens.splice(pos, 1);
    }
    return;
  }
}

const FUNCTIONS = new Set(
  "length substr index split sub gsub match gensub tolower toupper sprintf int sqrt sin cos atan2 log exp rand srand system close fflush systime mktime strftime".split(
    " ",
  ),
);

/** Whether the name before the current token is a function's: it touches the parenthesis, or there is such a function. */
export function isFunctionCall({ tokens, pos }: Parser): boolean {
  const [name, next] = tokens.slice(pos - 1, pos + 1);
  const text = String(name?.value);
  if (FUNCTIONS.has(text) || tokens.some(({ type }, at) => type === "FUNCTION" && tokens[at + 1]?.value === text))
    return true;
  return name?.line === next?.line && (name?.column ?? 0) + text.length === next?.column;
}
