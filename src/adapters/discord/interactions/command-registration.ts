import { ApplicationCommandOptionType, ApplicationCommandType } from "discord.js";
import type { ChatCommand, CommandOption } from "../../../core/command-line/command.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import type { Log } from "../../../core/protocol/log.ts";
import { canonicalJson } from "../../../core/text/canonical-json.ts";
import { cut } from "../../../core/text/plain-text.ts";
import type { DiscordRest } from "../rest.ts";
import type { RegisteredCommand, RegisteredOption } from "../wire.ts";

/** The parts of a command that Discord needs. */
export type CommandForm = Pick<ChatCommand, "name" | "description" | "usage" | "options">;

/** Source: Discord docs, Application Command Structure. */
const DESCRIPTION_CHARS = 100;

/** The command in each message's menu. Names of such commands have at most 32 characters. */
const ASK_ABOUT_MESSAGE: RegisteredCommand = {
  type: ApplicationCommandType.Message,
  name: "Ask Deckhand about this message",
  description: "",
  options: [],
};

/**
 * Registers the slash commands, unless Discord has them already: registrations are limited to some hundred a day, reads
 * are not. A failure is only logged, since commands after a mention still work.
 */
export async function registerCommands(
  rest: Pick<DiscordRest, "commands" | "registerCommands">,
  applicationId: string,
  { commands, log }: { readonly commands: readonly CommandForm[]; readonly log: Log },
): Promise<void> {
  const wanted = [...commands.map(registeredForm), ASK_ABOUT_MESSAGE];
  try {
    if (sameCommands(await rest.commands(applicationId), wanted)) return;
    await rest.registerCommands(applicationId, wanted);
    log.info({ commands: wanted.length }, "discord.commands_registered");
  } catch (error) {
    const { code, message } = toAppError(error);
    log.warn({ code, message }, "discord.commands_not_registered");
  }
}

function sameCommands(known: readonly RegisteredCommand[], wanted: readonly RegisteredCommand[]): boolean {
  const inOrder = (commands: readonly RegisteredCommand[]) =>
    canonicalJson(commands.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  return inOrder(known) === inOrder(wanted);
}

export function registeredForm({ name, description, usage, options }: CommandForm): RegisteredCommand {
  const line: readonly CommandOption[] = usage === undefined ? [] : [{ name: "args", description: usage }];
  return {
    type: ApplicationCommandType.ChatInput,
    name,
    description: cut(description, DESCRIPTION_CHARS),
    options: (options ?? line).map(option),
  };
}

function option({
  name,
  description,
  required = false,
  choices = [],
  options,
  complete,
}: CommandOption): RegisteredOption {
  return {
    type: options === undefined ? ApplicationCommandOptionType.String : ApplicationCommandOptionType.Subcommand,
    name,
    description: cut(description, DESCRIPTION_CHARS),
    required,
    autocomplete: complete !== undefined,
    choices: choices.map((choice) => ({ name: choice, value: choice })),
    // Discord requires the required options first.
    options: (options ?? []).toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false)).map(option),
  };
}
