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
  const match = /^!(?=[^\s!])([\s\S]*?)(?:\n[ \t]*\n([\s\S]*))?$/.exec(text.trim());
  if (match?.[1] === undefined) return null;
  return { command: match[1].trim(), rest: match[2]?.trim() ?? "" };
}
