import type { ChatCommand, CommandOption } from "../../../core/command-line/command.ts";
import type { Completion, InboundCompletion } from "../../../core/platform/inbound.ts";
import type { PageCompletion } from "./wire.ts";

/** An argument being typed at the end of a line. */
export interface TypedArgument extends Pick<InboundCompletion, "command" | "option" | "typed"> {
  /** The line up to the argument. */
  readonly before: string;
}

/** Matches what is typed after a last flag such as `--agent `. */
const FLAG = /^(?<before>.*?(?:^|\s)--(?<flag>[a-z][a-z-]*) +)(?<typed>[^\s"']*)$/u;

/**
 * Returns the argument at the end of the line if it can be completed; null otherwise. In a message that begins with
 * `@`, the name after it is an agent, completed like the argument of `/agent`.
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

/** The value of the last flag, or else the first argument, which may contain blanks after a subcommand. */
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

/**
 * Completes the whole line. After an @, only agents whose name matches are offered, not those whose description does.
 */
export function completed({ before, typed }: TypedArgument, words: readonly Completion[]): PageCompletion[] {
  const isAddress = before === "@";
  const fitting = isAddress ? words.filter(({ value }) => value.includes(typed.toLowerCase())) : words;
  return fitting.map(({ value, label }) => ({ text: `${before}${value} `, label: isAddress ? `@${label}` : label }));
}
