import type { AddSubcommand } from "../../../cli/subcommand.ts";
import type { McpRequest } from "./command-line.ts";

const EXAMPLES = `
Examples:
  deckhand mcp list                 the servers in the settings, and which of them have a sign-in
  deckhand mcp sign-in linear       prints an address to open, and waits until somebody has signed in there
  deckhand mcp sign-out linear      revokes the sign-in, if the service supports that, and deletes it

Deckhand has one account for each server; everyone who may use its tools acts with that account.
A running bot connects by itself. deckhand doctor tries every server.`;

export const addMcp: AddSubcommand = (program, run) => {
  const ask = (request: McpRequest) => run(async (world) => (await import("./command-line.ts")).runMcp(request, world));
  const mcp = program
    .command("mcp")
    .description("sign in to MCP servers that require it, and sign out")
    .addHelpText("after", EXAMPLES);
  const server = ["<server>", "the server's name in the settings"] as const;
  mcp
    .command("sign-in")
    .description("sign in to a server with a browser, on this machine or another one")
    .argument(...server)
    .action((name: string) => ask({ type: "sign-in", name }));
  mcp
    .command("sign-out")
    .description("revoke and delete the sign-in to a server")
    .argument(...server)
    .action((name: string) => ask({ type: "sign-out", name }));
  mcp
    .command("list")
    .description("list the servers, and whether somebody has signed in to them")
    .action(() => ask({ type: "list" }));
};
