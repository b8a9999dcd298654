import type { Command } from "commander";

/** The arguments of `deckhand drain`. */
export interface DrainRequest {
  /** `host:pid`, the host of a single process, or an id; null to list the processes. */
  readonly process: string | null;
}

const EXAMPLES = `
Examples:
  deckhand drain                  list the processes that share the database, with what each does
  deckhand drain web-2:41         make that process hand over all its work and exit

The command returns once the process has exited. A supervisor that restarts it after a clean exit starts a new process.`;

export function addDrain(program: Command, run: (request: DrainRequest) => Promise<void>): void {
  program
    .command("drain")
    .description("make one of several processes hand over its work to the others and exit")
    .argument("[process]", "host:pid, as listed")
    .addHelpText("after", EXAMPLES)
    .action((process: string | undefined) => run({ process: process ?? null }));
}
