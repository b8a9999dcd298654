/** Prefix for commands whose names the platform reserves. Operators may use it for other commands, too. */
export const COMMAND_PREFIX = "deckhand-";

/** The command that a slash command stands for, with or without the prefix. */
export function commandNamed(slash: string): string {
  return slash.replace(/^\//u, "").replace(COMMAND_PREFIX, "");
}
