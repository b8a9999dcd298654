import type { Completion, InboundCompletion } from "../platform/inbound.ts";
import type { CommandContext, CommandOption } from "./command.ts";
import { commandRefusal } from "./may-use.ts";

/** Maximum number of suggestions. Source: Discord docs, Autocomplete. */
const MOST = 25;
/** Separator between a name and its description. */
const DOT = " · ";

type Asked = Pick<InboundCompletion, "command" | "option" | "typed">;

/** The suggestions for a command's option that match what was typed; none for people who may not use the command. */
export async function completionsFor(
  { command: name, option, typed }: Asked,
  context: CommandContext,
): Promise<readonly Completion[]> {
  const command = context.commands.find((each) => each.name === name);
  if (command === undefined || commandRefusal(command, null, context) !== null) return [];
  const all = (await optionAt(command.options, option)?.complete?.(context)) ?? [];
  return matchingCompletions(all, typed).slice(0, MOST);
}

function optionAt(options: readonly CommandOption[] = [], [name, ...rest]: readonly string[]): CommandOption | null {
  const found = options.find((each) => each.name === name) ?? null;
  return found === null || rest.length === 0 ? found : optionAt(found.options, rest);
}

/**
 * Filters suggestions by what was typed. Exact names come first, because pressing Enter takes the first one, then those
 * that begin with it, then those that contain it.
 */
export function matchingCompletions(all: readonly Completion[], typed: string): Completion[] {
  const letters = typed.trim().toLowerCase();
  const rankOf = ({ value, label }: Completion): number => {
    const texts = [value.toLowerCase(), label.toLowerCase()];
    if (texts.some((text) => text === letters || text.startsWith(`${letters}${DOT}`))) return 0;
    return texts.some((text) => text.startsWith(letters)) ? 1 : 2;
  };
  return all
    .filter(({ value, label }) => `${value} ${label}`.toLowerCase().includes(letters))
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

type Words = NonNullable<CommandOption["complete"]>;

export const skillCompletions: Words = async ({ skillsOf, thread }) => {
  const { skills } = await skillsOf(thread);
  return skills.map(({ name, description }) => describedCompletion(name, description));
};

export const agentCompletions: Words = ({ agents }) => {
  const visible = [...agents.values()].filter((agent) => agent.visible);
  return Promise.resolve(visible.map(({ name, description }) => describedCompletion(name, description)));
};

export const modelCompletions: Words = async ({ models }) =>
  (await models.list()).map(({ ref, about }) => describedCompletion(ref, about));

export const jobCompletions: Words = async ({ jobs, person, thread, runtime }) => {
  const seen = await jobs.overview({ person, thread, at: runtime.clock.now() });
  return seen.map(({ id, name, sentence }) => ({ value: id, label: `${name}${DOT}${sentence}` }));
};

export const timezoneCompletions: Words = () =>
  Promise.resolve(["UTC", ...Intl.supportedValuesOf("timeZone")].map(plain));

function plain(value: string): Completion {
  return { value, label: value };
}

export function describedCompletion(value: string, description: string): Completion {
  return { value, label: `${value}${DOT}${description}` };
}
