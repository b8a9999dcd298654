import type { ChatCommand } from "../../../core/command-line/command.ts";
import type { PageCommand } from "./wire.ts";

/** The commands that the composer offers after a slash. */
export function pageCommands(commands: readonly ChatCommand[]): PageCommand[] {
  return commands.map(({ name, description, usage = "", options = [] }) => {
    const [first] = options;
    const subcommands = options.filter((option) => option.options !== undefined);
    const words =
      subcommands.length > 0
        ? subcommands.map((option) => ({ word: option.name, description: option.description }))
        : (first?.choices ?? []).map((word) => ({ word, description: "" }));
    return { name, usage, description, words };
  });
}
