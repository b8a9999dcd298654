/** Whether a text matches a pattern in which `*` stands for any characters; `parts` are those between its stars. */
export function matchesWildcard([first = "", ...parts]: readonly string[], text: string): boolean {
  const last = parts.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.startsWith(first) && text.length - at >= last.length && text.endsWith(last);
}
