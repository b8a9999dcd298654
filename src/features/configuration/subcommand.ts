import type { AddSubcommand } from "../../cli/subcommand.ts";

const NOTE = `
What the page has set is read from the database, and holds in full from the next start on: docs/console.md.`;

/** `deckhand settings` */
export const addSettings: AddSubcommand = (program, run) => {
  program
    .command("settings")
    .description("list the effective settings, and where each comes from")
    .option("--json", "print all settings as JSON")
    .addHelpText("after", NOTE)
    .action(({ json = false }: { json?: boolean }) =>
      run(async (world) => (await import("./command-line.ts")).runSettings({ json }, world)),
    );
};
