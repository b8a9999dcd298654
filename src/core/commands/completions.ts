import type { Completion, InboundCompletion } from "../protocol/platform.ts";
import type { CommandContext, CommandOption } from "./command.ts";
import { commandRefusal } from "./may-use.ts";

/** What a person is shown at once. Source: Discord docs, Autocomplete. */
const MOST = 25;

type Asked = Pick<InboundCompletion, "command" | "option" | "typed">;

/** What could stand in an option of a command, by what is typed of it; nothing for those who may not use the command. */
export async function completionsFor(
  { command: name, option, typed }: Asked,
  context: CommandContext,
): Promise<readonly Completion[]> {
  const command = context.commands.find((each) => each.name === name);
  if (command === undefined || commandRefusal(command, context) !== null) return [];
  const all = (await optionAt(command.options, option)?.complete?.(context)) ?? [];
  return fitting(all, typed).slice(0, MOST);
}

function optionAt(options: readonly CommandOption[] = [], [name, ...rest]: readonly string[]): CommandOption | null {
  const found = options.find((each) => each.name === name) ?? null;
  return found === null || rest.length === 0 ? found : optionAt(found.options, rest);
}

/** Those that begin with what is typed come before those that hold it. */
function fitting(all: readonly Completion[], typed: string): Completion[] {
  const letters = typed.trim().toLowerCase();
  const begins = ({ value, label }: Completion) =>
    [value, label].some((each) => each.toLowerCase().startsWith(letters));
  const holds = ({ value, label }: Completion) => `${value} ${label}`.toLowerCase().includes(letters);
  return [...all.filter(begins), ...all.filter((each) => !begins(each) && holds(each))];
}

type Words = NonNullable<CommandOption["complete"]>;

export const skillWords: Words = async ({ skillsOf, thread }) => {
  const { skills } = await skillsOf(thread);
  return skills.map(({ name, description }) => described(name, description));
};

export const agentWords: Words = ({ agents }) => {
  const visible = [...agents.values()].filter((agent) => agent.visible);
  return Promise.resolve(visible.map(({ name, description }) => described(name, description)));
};

export const modelWords: Words = ({ models }) => Promise.resolve(models.list().map(plain));

export const jobWords: Words = async ({ jobs, person, thread, runtime }) => {
  const seen = await jobs.overview({ person, thread, at: runtime.clock.now() });
  return seen.map(({ id, name, sentence }) => ({ value: id, label: `${name} · ${sentence}` }));
};

export const timezoneWords: Words = () => Promise.resolve(["UTC", ...Intl.supportedValuesOf("timeZone")].map(plain));

function plain(value: string): Completion {
  return { value, label: value };
}

export function described(value: string, description: string): Completion {
  return { value, label: `${value} · ${description}` };
}
