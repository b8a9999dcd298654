import type { ChatCommand, CommandOption } from "../../../core/command-line/command.ts";
import type { Completion, InboundCompletion } from "../../../core/protocol/platform.ts";
import type { PageCompletion } from "./wire.ts";

/** An argument that is being typed at the end of a line. */
export interface TypedArgument extends Pick<InboundCompletion, "command" | "option" | "typed"> {
  /** The line up to it. */
  readonly before: string;
}

/** What follows `--agent ` at the end of a line, where the flag is the last one. */
const FLAG = /^(?<before>.*?(?:^|\s)--(?<flag>[a-z][a-z-]*) +)(?<typed>[^\s"']*)$/u;

/**
 * The argument that stands at the end of what is typed, where suggestions can be made for it; null anywhere else. A message
 * that begins with `@` and a name is for that agent, whom `/agent` names, too.
 */
export function typedArgument(text: string, commands: readonly ChatCommand[]): TypedArgument | null {
  const [, address] = /^@([a-z0-9-]*)$/iu.exec(text) ?? [];
  if (address !== undefined) return { command: "agent", option: ["name"], typed: address, before: "@" };
  const [, head, name, line = ""] = /^(\/([a-z-]+) +)(?! )(.*)$/iu.exec(text) ?? [];
  const command = commands.find((each) => each.name === name?.toLowerCase());
  if (head === undefined || command === undefined) return null;
  const options = command.options ?? [];
  const [, verb = "", rest] = /^(\S+ +)(?! )(.*)$/u.exec(line) ?? [];
  const sub = options.find((each) => each.options !== undefined && each.name === verb.trim().toLowerCase());
  const within =
    sub === undefined
      ? argumentIn(options, line, { mayHaveBlanks: false })
      : argumentIn(sub.options ?? [], rest ?? "", { mayHaveBlanks: true });
  if (within === null) return null;
  const path = sub === undefined ? [within.option] : [sub.name, within.option];
  const before = sub === undefined ? `${head}${within.before}` : `${head}${verb}${within.before}`;
  return { command: command.name, option: path, typed: within.typed, before };
}

/** The value of the last flag, or the first argument; behind a subcommand it is a name, which may have blanks. */
function argumentIn(
  options: readonly CommandOption[],
  line: string,
  { mayHaveBlanks }: { readonly mayHaveBlanks: boolean },
): { readonly option: string; readonly typed: string; readonly before: string } | null {
  const canComplete = (option: CommandOption | undefined) => option?.complete !== undefined;
  const { flag, typed = "", before = "" } = mayHaveBlanks ? (FLAG.exec(line)?.groups ?? {}) : {};
  if (flag !== undefined)
    return canComplete(options.find(({ name }) => name === flag)) ? { option: flag, typed, before } : null;
  const [first] = options;
  if (first === undefined || !canComplete(first) || line.includes("--")) return null;
  return line.includes(" ") && !mayHaveBlanks ? null : { option: first.name, typed: line, before: "" };
}

/** As the composer takes them: the whole line. Behind an @ a name alone is meant, never what an agent is for. */
export function completed({ before, typed }: TypedArgument, words: readonly Completion[]): PageCompletion[] {
  const isAddress = before === "@";
  const fitting = isAddress ? words.filter(({ value }) => value.includes(typed.toLowerCase())) : words;
  return fitting.map(({ value, label }) => ({ text: `${before}${value} `, label: isAddress ? `@${label}` : label }));
}
