/** A shell command that a person typed, and the text beside it. */
export interface LocalCommand {
  readonly command: string;
  /** Text for the model; empty if the message holds only the command. */
  readonly rest: string;
}

/**
 * Parses a message such as `!ls -la`. Text after an empty line is for the model. Null if the message is no command: it
 * does not begin with `!`, or begins like plain language (`!` alone, `!!`, `! no`).
 */
export function localCommandIn(text: string): LocalCommand | null {
  const trimmed = text.trim();
  if (!/^![^\s!]/.test(trimmed)) return null;
  const end = /\n[ \t]*\n/.exec(trimmed)?.index ?? trimmed.length;
  return { command: trimmed.slice(1, end).trim(), rest: trimmed.slice(end).trim() };
}
