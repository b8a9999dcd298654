import { privateMessage } from "../platform/replies.ts";
import type { ChatCommand, CommandContext, CommandReply } from "./command.ts";
import { helpAskedFor } from "./command-help.ts";
import { commandRefusal } from "./may-use.ts";
import { didYouMean, nearest } from "./nearest.ts";
import { quoteInput } from "./quote-input.ts";

/** A parsed command: `/stop now` has the name `stop` and the line `now`. */
export interface TypedCommand {
  readonly name: string;
  /** The text after the name, as typed. */
  readonly line: string;
}

/**
 * The command in a text; null if it is none. Not every text that begins with a slash is a command: a path is not, nor
 * is an unknown name with text after it (`/tmp is full`).
 */
export function typedCommand(text: string, commands: readonly ChatCommand[]): TypedCommand | null {
  const match = /^\/([a-z][a-z-]*)(?:\s([\s\S]*))?$/i.exec(text.trim());
  const name = match?.[1]?.toLowerCase();
  if (name === undefined) return null;
  const line = match?.[2]?.trim() ?? "";
  const names = commands.map((command) => command.name);
  const isMeant = line === "" || names.includes(name) || nearest(name, names).length > 0;
  return isMeant ? { name, line } : null;
}

/** Runs a command if the person may use it, and explains a refusal otherwise. `--help` works for everyone. */
export async function runCommand({ name, line }: TypedCommand, context: CommandContext): Promise<CommandReply> {
  const command = context.commands.find((each) => each.name === name);
  if (command === undefined) return privateMessage(unknownCommand(name, context.commands));
  const help = helpAskedFor(command, line);
  if (help !== null) return privateMessage(help);
  const refusal = commandRefusal(command, line, context);
  return refusal === null ? command.run(line, context) : privateMessage(refusal);
}

export function unknownCommand(name: string, commands: readonly ChatCommand[]): string {
  const names = commands.map((command) => command.name);
  const near = nearest(name, names).map((one) => `/${one}`);
  return `I don't know ${quoteInput(`/${name}`)}.${didYouMean(near, "`/help` lists all commands.")}`;
}
