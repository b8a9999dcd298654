import { Argument, Option } from "commander";
import type { AddSubcommand } from "../../cli/subcommand.ts";
import { ROLES } from "./account.ts";
import type { AccountRequest, PasswordSource } from "./command-line.ts";

const EXAMPLES = `
Examples:
  deckhand user add ana --role admin            asks for a password, twice
  echo "$PASSWORD" | deckhand user passwd ana --password-stdin
                                                reads a piped password; ana is signed out everywhere
  deckhand user list

The command works on the database itself, with or without a running bot.`;

export const addUser: AddSubcommand = (program, run) => {
  const ask = (request: AccountRequest) =>
    run(async (world) => (await import("./command-line.ts")).runUser(request, world));
  const user = program
    .command("user")
    .description("manage the accounts of the web page")
    .addHelpText("after", EXAMPLES);
  const name = ["<name>", "lower-case letters, digits, dots, - and _"] as const;
  const passwordStdin = ["--password-stdin", "read the password from standard input, one line"] as const;
  user
    .command("add")
    .description("create an account")
    .argument(...name)
    .addOption(new Option("--role <role>", "viewer: reads; operator: takes part").choices(ROLES).default("operator"))
    .option(...passwordStdin)
    .action((who: string, given: { role: string } & PasswordSource) => ask({ type: "add", name: who, ...given }));
  user
    .command("passwd")
    .description("set a new password, and sign the account out everywhere")
    .argument(...name)
    .option(...passwordStdin)
    .action((who: string, given: PasswordSource) => ask({ type: "passwd", name: who, ...given }));
  user
    .command("role")
    .description("change the role; takes effect at once")
    .argument(...name)
    .addArgument(new Argument("<role>", "the new role").choices(ROLES))
    .action((who: string, role: string) => ask({ type: "role", name: who, role }));
  user
    .command("logout")
    .description("sign the account out everywhere")
    .argument(...name)
    .action((who: string) => ask({ type: "logout", name: who }));
  user
    .command("list")
    .description("list the accounts, their roles, who is signed in, and who is linked")
    .action(() => ask({ type: "list" }));
  user
    .command("remove")
    .description("remove an account, its sessions and links; its messages stay")
    .argument(...name)
    .action((who: string) => ask({ type: "remove", name: who }));
};
