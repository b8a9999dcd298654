import { type Command, InvalidArgumentError } from "commander";

/** What `deckhand data delete` is asked for. */
export interface DataRequest {
  readonly type: "session" | "person";
  /** `ses_01k9`, or `slack:U1`. */
  readonly id: string;
}

const EXAMPLES = `
Examples:
  deckhand data delete --session ses_01k9       with its sub-agents, what was learned from it, and its files
  deckhand data delete --person slack:U1        all that is kept of somebody; what others have written stays

It works on the database itself, also beside a running bot. What goes and what stays: docs/retention.md.`;

export function addData(program: Command, carryOut: (request: DataRequest) => Promise<void>): void {
  const data = program
    .command("data")
    .description("delete what people and the agent have said and done")
    .addHelpText("after", EXAMPLES);
  data
    .command("delete")
    .option("--session <id>", "as the page's address and the log name it", sessionId)
    .option("--person <id>", "slack:U1 or discord:1", personId)
    .action(({ session, person }: { session?: string; person?: string }, command: Command) => {
      if (session !== undefined && person === undefined) return carryOut({ type: "session", id: session });
      if (person !== undefined && session === undefined) return carryOut({ type: "person", id: person });
      return command.error("✗ It wants --session or --person, and not both.");
    });
}

function personId(value: string): string {
  if (/^[a-z]+:[^\s"\\]+$/u.test(value) && !value.includes(":role:")) return value;
  throw new InvalidArgumentError("It is like slack:U1 or discord:1.");
}

function sessionId(value: string): string {
  if (/^ses_\w+$/u.test(value)) return value;
  throw new InvalidArgumentError("It is like ses_01k9.");
}
