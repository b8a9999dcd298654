import { type Command, InvalidArgumentError } from "commander";
import type { AddSubcommand } from "../../cli/subcommand.ts";
import type { MemoryRequest } from "./command-line.ts";

const DEFAULT_LIMIT = 10;
const MAX_HITS = 100;
const SCOPE = /^(?:person|channel|workspace):[a-z]+:\S+$/u;

const EXAMPLES = `
Examples:
  deckhand memory import notes.jsonl            one {id?, text, kind?, scope, author?, at?, source?} per line
  deckhand memory search "deploy day" --scope channel:slack:C1
  deckhand memory search --batch questions.jsonl one {id, query, scope} per line; prints {id, results} for each
  deckhand memory export --scope channel:slack:C1

The command works on the database itself, with or without a running bot.`;

interface SearchFlags {
  readonly batch?: string;
  readonly scope?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export const addMemory: AddSubcommand = (program, run) => {
  const ask = (request: MemoryRequest) =>
    run(async (world) => (await import("./command-line.ts")).runMemory(request, world));
  const memory = program
    .command("memory")
    .description("import, export and search memories")
    .addHelpText("after", EXAMPLES);
  memory
    .command("import")
    .description("import memories from a file")
    .argument("<file>", "JSON lines")
    .option("--no-learn", "no effect: imported lines are always kept as they are")
    .action((file: string) => ask({ type: "import", file }));
  memory
    .command("export")
    .description("print the memories as JSON lines")
    .option("--scope <scope>", "person:slack:U1, channel:slack:C1 or workspace:slack:T1 (default: all)", scope)
    .action((flags: { scope?: string }) => ask({ type: "export", scope: flags.scope ?? null }));
  memory
    .command("stats")
    .description("print the number of memories")
    .action(() => ask({ type: "stats" }));
  memory
    .command("search")
    .description("print the memories that match a query")
    .argument("[query...]", "a few words")
    .option("--batch <file>", "a file with one question per line, as JSON")
    .option("--scope <scope>", "person:slack:U1, channel:slack:C1 or workspace:slack:T1", scope)
    .option("--limit <number>", "the maximum number of results", limit, DEFAULT_LIMIT)
    .option("--json", "print one JSON object per line")
    .action((words: string[], flags: SearchFlags, command: Command) => {
      const { batch, scope: of, limit: most, json = false } = flags;
      if (batch !== undefined) return ask({ type: "batch", file: batch, limit: most });
      const query = words.join(" ");
      if (query === "" || of === undefined) return command.error("✗ Give a query and --scope, or --batch.");
      return ask({ type: "search", query, scope: of, limit: most, json });
    });
};

function scope(value: string): string {
  if (SCOPE.test(value)) return value;
  throw new InvalidArgumentError("It must look like person:slack:U1, channel:slack:C1 or workspace:slack:T1.");
}

function limit(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && number <= MAX_HITS) return number;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_HITS}.`);
}
