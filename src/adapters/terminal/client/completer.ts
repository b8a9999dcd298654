import type { Conversation } from "./conversation.ts";

/** Whole lines that what is typed may become: a command's name, or what the program offers for an argument. */
export async function completionsOf(
  line: string,
  conversation: Pick<Conversation, "commands" | "complete">,
): Promise<string[]> {
  const name = /^\/([a-z-]*)$/iu.exec(line)?.[1];
  if (name === undefined) {
    return /^[/@]/u.test(line) ? (await conversation.complete(line)).map(({ text }) => text) : [];
  }
  const names = [...conversation.commands.map((command) => command.name), "quit"];
  return names.filter((each) => each.startsWith(name.toLowerCase())).map((each) => `/${each} `);
}
