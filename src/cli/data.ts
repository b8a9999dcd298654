import { type Command, InvalidArgumentError } from "commander";

/** What `deckhand data delete` is asked for. */
export type DataRequest = { readonly type: "session"; readonly id: string };

const EXAMPLES = `
Examples:
  deckhand data delete --session ses_01k9       with its sub-agents, what was learned from it, and its files

It works on the database itself, also beside a running bot. What goes and what stays: docs/retention.md.`;

export function addData(program: Command, carryOut: (request: DataRequest) => Promise<void>): void {
  const data = program
    .command("data")
    .description("delete what people and the agent have said and done")
    .addHelpText("after", EXAMPLES);
  data
    .command("delete")
    .requiredOption("--session <id>", "as the page's address and the log name it", sessionId)
    .action(({ session }: { session: string }) => carryOut({ type: "session", id: session }));
}

function sessionId(value: string): string {
  if (/^ses_\w+$/u.test(value)) return value;
  throw new InvalidArgumentError("It is like ses_01k9.");
}
