import { type Command, InvalidArgumentError } from "commander";
import type { AddSubcommand } from "../../cli/subcommand.ts";
import type { DeletionRequest } from "./command-line.ts";

const EXAMPLES = `
Examples:
  deckhand data delete --session ses_01k9       with its sub-agents, what was learned from it, and its files
  deckhand data delete --person slack:U1        everything stored about a person; what others have written stays
  deckhand data copy                            everything in data/deckhand.db to the PostgreSQL of DATABASE_URL

A deletion works with or without a running bot. What is deleted and what is kept: docs/retention.md.
Before a copy, stop every bot, and create an empty PostgreSQL database: docs/scaling.md.`;

export const addData: AddSubcommand = (program, run) => {
  const ask = (request: DeletionRequest) =>
    run(async (world) => (await import("./command-line.ts")).runDelete(request, world));
  const data = program
    .command("data")
    .description("delete sessions or a person's data, or copy everything from SQLite to PostgreSQL")
    .addHelpText("after", EXAMPLES);
  data
    .command("delete")
    .description("delete one session, or everything stored about a person")
    .option("--session <id>", "the id in the page's address and in the log", sessionId)
    .option("--person <id>", "slack:U1 or discord:1", personId)
    .action(({ session, person }: { session?: string; person?: string }, command: Command) => {
      if (session !== undefined && person === undefined) return ask({ type: "session", id: session });
      if (person !== undefined && session === undefined) return ask({ type: "person", id: person });
      return command.error("✗ Give either --session or --person.");
    });
  data
    .command("copy")
    .description("copy everything from SQLite to the empty PostgreSQL database of DATABASE_URL")
    .option("--from <file>", "the SQLite file (default: deckhand.db in DECKHAND_HOME)")
    .action(({ from }: { from?: string }) => run(({ copyDatabase }) => copyDatabase(from ?? null)));
};

function personId(value: string): string {
  if (/^[a-z]+:[^\s"\\]+$/u.test(value) && !value.includes(":role:")) return value;
  throw new InvalidArgumentError("It must look like slack:U1 or discord:1.");
}

function sessionId(value: string): string {
  if (/^ses_\w+$/u.test(value)) return value;
  throw new InvalidArgumentError("It must look like ses_01k9.");
}
