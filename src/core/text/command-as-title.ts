/** Makes a thread's first text its title: a skill goes by its name, and a command without arguments by its word. */
export function commandAsTitle(text: string): string {
  return text
    .replace(/(^|: )\/skill[ \t]+(?=\S)/u, "$1")
    .replace(/^\/([a-z])([a-z-]*)$/u, (_command, first: string, rest: string) => first.toUpperCase() + rest);
}
