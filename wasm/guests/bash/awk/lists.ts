interface Token {
  readonly type: string;
}

interface Parser {
  readonly tokens: Token[];
  readonly pos: number;
}

const ENDS = new Set(["NEWLINE", "SEMICOLON", "RBRACE", "GT", "APPEND", "PIPE", "EOF"]);

/** Removes the parentheses around the list that `print` prints. */
export function ungroup({ tokens, pos }: Parser): void {
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
