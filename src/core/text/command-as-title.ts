/** What a thread begins with, as its title: a skill goes by its name, and a command that stands alone by its word. */
export function commandAsTitle(text: string): string {
  return text
    .replace(/(^|: )\/skill[ \t]+(?=\S)/u, "$1")
    .replace(/^\/([a-z])([a-z-]*)$/u, (_command, first: string, rest: string) => first.toUpperCase() + rest);
}
