import type { AddSubcommand } from "../../cli/subcommand.ts";

const NOTE = `
Settings of the page are read from the database; some of them apply only after a restart: docs/console.md.`;

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
