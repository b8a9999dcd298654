/** Before the name of a command that the platform keeps to itself; operators may give it to others, too. */
export const COMMAND_PREFIX = "deckhand-";

/** The command that a slash command stands for: with the prefix or without. */
export function commandNamed(slash: string): string {
  return slash.replace(/^\//u, "").replace(COMMAND_PREFIX, "");
}
