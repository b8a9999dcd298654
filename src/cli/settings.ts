import type { Command } from "commander";

/** What `deckhand settings` is asked for. */
export interface SettingsRequest {
  /** For programs: all of it, as JSON. */
  readonly json: boolean;
}

const NOTE = `
What the page has set is read from the database, and holds in full from the next start on: docs/console.md.`;

export function addSettings(program: Command, carryOut: (request: SettingsRequest) => Promise<void>): void {
  program
    .command("settings")
    .description("list the settings that hold, each with where it is from")
    .option("--json", "all of them, as JSON")
    .addHelpText("after", NOTE)
    .action(({ json = false }: { json?: boolean }) => carryOut({ json }));
}
