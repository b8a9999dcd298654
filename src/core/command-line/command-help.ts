import type { ChatCommand, CommandOption, CommandPermission } from "./command.ts";

/** Matches `--help` or `-h`, alone or after one word. Some keyboards turn two dashes into a long one. */
const ASKED = /^(?:(\S+)\s+)?(?:(?:--|\u2014|\u2013)help|-h)$/iu;

/** The help text of a command or subcommand if the line asks for it; null otherwise. */
export function helpAskedFor(command: ChatCommand, line: string): string | null {
  const match = ASKED.exec(line.trim());
  // A command with subcommands also accepts the word `help`.
  if (match === null) return line.trim() === "help" && subcommandsOf(command).length > 0 ? commandHelp(command) : null;
  const verb = match[1]?.toLowerCase();
  if (verb === undefined) return commandHelp(command);
  const subcommand = subcommandsOf(command).find(({ name }) => name === verb);
  return subcommand === undefined ? null : subcommandHelp(command, subcommand);
}

const FOR_WHOM: Readonly<Record<CommandPermission, string | null>> = {
  everyone: null,
  people: "Only for people who work with me in the thread.",
  admin: "Only for admins.",
};

/** Describes how a command is typed, what it does, what its parts mean, and who may use it. */
export function commandHelp(command: ChatCommand): string {
  const { name, usage, description, options = [], permission } = command;
  const subcommands = subcommandsOf(command);
  const forWhom = FOR_WHOM[permission];
  return [
    `\`/${name}${usage === undefined ? "" : ` ${usage}`}\` · ${description}`,
    ...options.map((option) =>
      optionLine(option, option.options === undefined ? option.name : `/${name} ${option.name}`),
    ),
    ...(subcommands.some((each) => (each.options ?? []).length > 1)
      ? [`\`/${name} <word> --help\` shows details.`]
      : []),
    ...(forWhom === null ? [] : [forWhom]),
  ].join("\n");
}

function subcommandHelp({ name }: ChatCommand, { name: verb, description, options = [] }: CommandOption): string {
  const lines = options.map((option) => optionLine(option, `--${option.name}`));
  return [`\`/${name} ${verb}\` · ${description}`, ...lines].join("\n");
}

function subcommandsOf({ options = [] }: ChatCommand): readonly CommandOption[] {
  return options.filter((option) => option.options !== undefined);
}

function optionLine({ description, required, choices = [] }: CommandOption, typed: string): string {
  const notes = [...(required === true ? ["required"] : []), ...(choices.length === 0 ? [] : [choices.join(", ")])];
  return `- \`${typed}\` · ${description}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}
