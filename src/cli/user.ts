import { Argument, type Command, Option } from "commander";

/** What `deckhand user` is asked for. */
export type UserRequest =
  | ({ readonly type: "add"; readonly name: string; readonly role: string } & PasswordSource)
  | ({ readonly type: "passwd"; readonly name: string } & PasswordSource)
  | { readonly type: "remove" | "logout"; readonly name: string }
  | { readonly type: "role"; readonly name: string; readonly role: string }
  | { readonly type: "list" };

interface PasswordSource {
  /** Whether nobody is asked: the password is the first line of standard input. What is piped always is. */
  readonly passwordStdin?: boolean;
}

const ROLES = ["viewer", "operator", "admin"];

const EXAMPLES = `
Examples:
  deckhand user add ana --role admin            asks for a password, twice
  echo "$PASSWORD" | deckhand user passwd ana --password-stdin
                                                takes a piped one; ana is signed out everywhere
  deckhand user list

It works on the database itself, also beside a running bot.`;

export function addUser(program: Command, carryOut: (request: UserRequest) => Promise<void>): void {
  const user = program
    .command("user")
    .description("accounts of those who sign in on the web page")
    .addHelpText("after", EXAMPLES);
  const name = ["<name>", "small letters, digits, dots, - and _"] as const;
  const passwordStdin = ["--password-stdin", "read the password from standard input, one line"] as const;
  user
    .command("add")
    .description("make an account")
    .argument(...name)
    .addOption(new Option("--role <role>", "viewer: reads; operator: takes part").choices(ROLES).default("operator"))
    .option(...passwordStdin)
    .action((who: string, given: { role: string } & PasswordSource) => carryOut({ type: "add", name: who, ...given }));
  user
    .command("passwd")
    .description("set another password, and sign the account out everywhere")
    .argument(...name)
    .option(...passwordStdin)
    .action((who: string, given: PasswordSource) => carryOut({ type: "passwd", name: who, ...given }));
  user
    .command("role")
    .description("give another role; it holds at once")
    .argument(...name)
    .addArgument(new Argument("<role>", "the new one").choices(ROLES))
    .action((who: string, role: string) => carryOut({ type: "role", name: who, role }));
  user
    .command("logout")
    .description("sign the account out everywhere")
    .argument(...name)
    .action((who: string) => carryOut({ type: "logout", name: who }));
  user
    .command("list")
    .description("accounts, their roles, who is signed in, and who is linked")
    .action(() => carryOut({ type: "list" }));
  user
    .command("remove")
    .description("remove an account, its sessions and links; what it has written stays")
    .argument(...name)
    .action((who: string) => carryOut({ type: "remove", name: who }));
}
