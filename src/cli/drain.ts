import type { Command } from "commander";

/** The arguments of `deckhand drain`. */
export interface DrainRequest {
  /** `host:pid`, the host of a single process, or an id; null to list the processes. */
  readonly process: string | null;
}

const EXAMPLES = `
Examples:
  deckhand drain                  the processes that share the database, and what each does
  deckhand drain web-2:41         has that one hand all over to the others and end

It returns once the process has ended. A supervisor that starts it anew after an orderly end brings another one up.`;

export function addDrain(program: Command, run: (request: DrainRequest) => Promise<void>): void {
  program
    .command("drain")
    .description("have one of several processes hand its work to the others and exit")
    .argument("[process]", "host:pid, as listed")
    .addHelpText("after", EXAMPLES)
    .action((process: string | undefined) => run({ process: process ?? null }));
}
