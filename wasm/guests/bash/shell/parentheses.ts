/** Index of the parenthesis that closes the one open at `from`; undefined if it is missing. */
function closing(script: string, from: number): number | undefined {
  const part = /'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[()]/g;
  part.lastIndex = from;
  let depth = 0;
  for (let found = part.exec(script); found !== null; found = part.exec(script)) {
    if (found[0] === "(") depth++;
    else if (found[0] === ")" && depth-- === 0) return found.index;
  }
  return undefined;
}

/** Whether `((` opens nested subshells, because the inner parenthesis does not close just before the outer one. */
export function isNestedSubshell(script: string, from: number): boolean {
  const end = closing(script, from);
  return end !== undefined && script.charAt(end + 1) !== ")";
}

/** Text between `((` and `))`; undefined if the end is missing. */
export function arithmeticText(script: string, from: number): string | undefined {
  const end = closing(script, from);
  return end === undefined ? undefined : script.slice(from, end);
}

/** Removes double quotes from an arithmetic expression, except within command substitutions. */
export function withoutQuotes(text: string): string {
  let output = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const end = /^\$\((?!\()/.test(text.slice(at, at + 3)) ? closing(text, at + 2) : undefined;
    if (end !== undefined) {
      output += text.slice(at, end + 1);
      at = end;
    } else if (text.charAt(at) === '"') isQuoted = !isQuoted;
    else {
      if (isQuoted && text.charAt(at) === "\\") at++;
      output += text.charAt(at);
    }
  }
  return output;
}

/** Changes a text except within its command substitutions. */
export function outsideSubstitutions(text: string, change: (part: string) => string): string {
  const from = text.search(/\$\((?!\()/);
  const end = from === -1 ? undefined : closing(text, from + 2);
  if (end === undefined) return change(text);
  return change(text.slice(0, from)) + text.slice(from, end + 1) + outsideSubstitutions(text.slice(end + 1), change);
}

interface Token {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Whether a `#` begins a comment: not where it goes on with the pattern of `[[ =~ ]]`. */
export function isComment(tokens: readonly Token[], at: number): boolean {
  let start = at;
  let index = tokens.length - 1;
  while (index >= 0 && tokens[index]?.end === start) start = tokens[index--]?.start ?? start;
  return start === at || tokens[index]?.value !== "=~";
}
