import type { Command } from "commander";

/** What `deckhand keys` is asked for. */
export type KeysRequest =
  | { readonly type: "set" | "remove" | "test"; readonly provider: string }
  | { readonly type: "list" };

const EXAMPLES = `
Examples:
  deckhand keys set anthropic                     asks for the key, which is not shown
  echo "$KEY" | deckhand keys set openai          takes a piped one
  deckhand keys test anthropic                    says what the provider makes of it
  deckhand keys list

Keys are stored encrypted in the database. A running bot uses them from its next model call on.
Those of the environment and of the settings file win.`;

export function addKeys(program: Command, carryOut: (request: KeysRequest) => Promise<void>): void {
  const keys = program.command("keys").description("keys of model providers").addHelpText("after", EXAMPLES);
  const provider = ["<provider>", "a provider's id, such as anthropic"] as const;
  keys
    .command("set")
    .description("store a key, or another in its place")
    .argument(...provider)
    .action((id: string) => carryOut({ type: "set", provider: id }));
  keys
    .command("list")
    .description("providers that have a key, and where it is from")
    .action(() => carryOut({ type: "list" }));
  keys
    .command("test")
    .description("try a provider's key, and say what came back")
    .argument(...provider)
    .action((id: string) => carryOut({ type: "test", provider: id }));
  keys
    .command("remove")
    .description("remove a stored key")
    .argument(...provider)
    .action((id: string) => carryOut({ type: "remove", provider: id }));
}
