import type { AddSubcommand } from "../../cli/subcommand.ts";
import type { KeysRequest } from "./command-line.ts";

const EXAMPLES = `
Examples:
  deckhand keys set anthropic                     asks for the key, which is not shown
  echo "$KEY" | deckhand keys set openai          reads a piped key
  deckhand keys test anthropic                    says whether the provider accepts it
  deckhand keys list

Keys are stored encrypted in the database. A running bot uses them from its next model call on.
Keys in the environment and in the settings file take precedence.`;

export const addKeys: AddSubcommand = (program, run) => {
  const ask = (request: KeysRequest) =>
    run(async (world) => (await import("./command-line.ts")).runKeys(request, world));
  const keys = program
    .command("keys")
    .description("manage the API keys of model providers")
    .addHelpText("after", EXAMPLES);
  const provider = ["<provider>", "a provider's id, such as anthropic"] as const;
  keys
    .command("set")
    .description("store a key, or replace the stored one")
    .argument(...provider)
    .action((id: string) => ask({ type: "set", provider: id }));
  keys
    .command("list")
    .description("list the providers that have a key, and where each key comes from")
    .action(() => ask({ type: "list" }));
  keys
    .command("test")
    .description("try a provider's key and show the result")
    .argument(...provider)
    .action((id: string) => ask({ type: "test", provider: id }));
  keys
    .command("remove")
    .description("remove a stored key")
    .argument(...provider)
    .action((id: string) => ask({ type: "remove", provider: id }));
};
