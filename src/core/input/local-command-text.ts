/** A shell command that a person typed, and what they say beside it. */
export interface LocalCommand {
  readonly command: string;
  /** For the model; empty when the command is all there is. */
  readonly rest: string;
}

/**
 * `!ls -la` → the command; what follows after an empty line is said to the model. Null when the message is no command: it does
 * not begin with `!`, or with what people write in plain language, `!` alone, `!!`, `! no`.
 */
export function localCommandIn(text: string): LocalCommand | null {
  const said = text.trim();
  if (!/^![^\s!]/.test(said)) return null;
  const end = /\n[ \t]*\n/.exec(said)?.index ?? said.length;
  return { command: said.slice(1, end).trim(), rest: said.slice(end).trim() };
}
