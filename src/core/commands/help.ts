import { firstWord } from "../command-line/arguments.ts";
import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { commandHelp } from "../command-line/command-help.ts";
import { describedCompletion } from "../command-line/completions.ts";
import { commandRefusal } from "../command-line/may-use.ts";
import { unknownCommand } from "../command-line/run-command.ts";
import { effectiveSession } from "../command-line/session-to-change.ts";
import { privateMessage } from "../platform/replies.ts";
import { MODE_WORDS } from "./mode.ts";

export const helpCommand: ChatCommand = {
  name: "help",
  description: "what I can do and how to start, or details of one command",
  usage: "[command]",
  permission: "everyone",
  options: [
    {
      name: "command",
      description: "the command to explain",
      complete: (context) => {
        const usable = context.commands.filter((command) => commandRefusal(command, "", context) === null);
        return Promise.resolve(usable.map(({ name, description }) => describedCompletion(name, description)));
      },
    },
  ],
  run: (line, context) => Promise.resolve(privateMessage(line === "" ? helpText(context) : helpOf(line, context))),
};

/** Returns the help of one command. `line` is its name, with or without the slash. */
function helpOf(line: string, { commands }: CommandContext): string {
  const name = firstWord(line).word.replace(/^\//, "").toLowerCase();
  const command = commands.find((each) => each.name === name);
  return command === undefined ? unknownCommand(name, commands) : commandHelp(command);
}

/**
 * The help text: how to begin, the settings in force, and the commands that the person may use. It fits in one message
 * of any platform.
 */
export function helpText(context: CommandContext): string {
  const { isDirect } = context;
  const { mode, model, agentDefinition } = context.configOf(effectiveSession(context));
  const others = [...context.agents.values()].filter(({ visible, name }) => visible && name !== agentDefinition.name);
  const lookers = others.map(({ name }) => `\`@${name} …\``);
  const commands = context.commands.filter((command) => commandRefusal(command, "", context) === null);
  return [
    isDirect
      ? "Tell me what you want done; I show each step."
      : "Mention me and say what you want done; I answer in a thread and show each step there. In a thread you started with me, you don't need to mention me again.",
    "For example: `list files`, or `change port to 9090 in config.toml`.",
    `Here **${agentDefinition.name}** answers with \`${model}\`. Mode **${mode}**: ${MODE_WORDS[mode]}. I work in ${isDirect ? "a directory of our own" : "this channel's own directory"} and touch nothing outside it; ${hostsText(context)}.`,
    ...(lookers.length === 0
      ? []
      : [`Other agents: start a message with ${lookers.join(" or ")} (\`/agent\` describes them).`]),
    "",
    ...commands.map((command) => commandLine(command, context)),
    "",
    `${isDirect ? "" : "In a thread, mention me before a command. "}Add \`--help\` to a command for details.`,
  ].join("\n");
}

/** A command's line. If the platform reserves the name for itself, the line gives the alternative slash command. */
function commandLine({ name, description }: ChatCommand, { thread, describe }: CommandContext): string {
  const slash = describe(thread.platform).slashName(name);
  return `\`/${name}\` · ${description}${slash === name ? "" : ` (as a slash command \`/${slash}\`)`}`;
}

export function hostsText({ allowedHosts }: Pick<CommandContext, "allowedHosts">): string {
  if (allowedHosts.length === 0) return "I can't reach any hosts";
  if (allowedHosts.includes("*")) return "I can reach any public host";
  const shown = allowedHosts.slice(0, 3).map((host) => `\`${host}\``);
  const more = allowedHosts.length - shown.length;
  return `I can reach ${shown.join(", ")}${more > 0 ? ` and ${more} more hosts` : ""}`;
}
