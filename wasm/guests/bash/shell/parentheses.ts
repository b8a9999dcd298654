/** Where the parenthesis ends that was open before; undefined where it does not. */
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

/** Whether what stands behind `((` is commands: the inner parenthesis does not end just before the outer one. */
export function areSubshells(script: string, from: number): boolean {
  const end = closing(script, from);
  return end !== undefined && script.charAt(end + 1) !== ")";
}

/** What stands between `((` and `))`; undefined where it does not end. */
export function arithmeticText(script: string, from: number): string | undefined {
  const end = closing(script, from);
  return end === undefined ? undefined : script.slice(from, end);
}

/** Numbers and variables have no quotes; what commands are told keeps its own. */
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
