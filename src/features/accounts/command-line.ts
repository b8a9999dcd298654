import type { SubcommandWorld } from "../../cli/subcommand.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Store } from "../../core/store/store.ts";
import { counted } from "../../core/text/counted.ts";
import { type PasswordHashing, passwordHashing } from "../../core/text/password-hash.ts";
import type { Act } from "../../feature.ts";
import { accountName, nameProblem, normalised, passwordProblem, readRole } from "./account.ts";
import { accountWriter } from "./account-writer.ts";
import { accountReads } from "./store.ts";

/** A request to `deckhand user`. */
export type AccountRequest =
  | ({ readonly type: "add" | "role"; readonly name: string; readonly role: string } & PasswordSource)
  | ({ readonly type: "passwd" | "remove" | "logout"; readonly name: string } & PasswordSource)
  | { readonly type: "list" };

export interface PasswordSource {
  /** Read the password from the first line of standard input without a prompt; always the case for piped input. */
  readonly passwordStdin?: boolean;
}

export interface AccountWorld {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  /** Asks at the terminal for a new password; null if the repetition differs. */
  readonly password: () => Promise<string | null>;
  /** As in `LoginSettings`. */
  readonly hashing?: PasswordHashing;
}

interface CommandResult {
  readonly ok: boolean;
  readonly lines: readonly string[];
}

const done = (line: string): CommandResult => ({ ok: true, lines: [`✓ ${line}`] });
const refused = (line: string): CommandResult => ({ ok: false, lines: [`✗ ${line}`] });

/** How the audit log names the requests. */
const ACTS: Readonly<Record<Exclude<AccountRequest["type"], "list">, Act>> = {
  add: "account.added",
  role: "account.role",
  passwd: "account.password",
  logout: "account.signed_out",
  remove: "account.removed",
};

export function runUser(request: AccountRequest, { answer, newPassword, ...on }: SubcommandWorld): Promise<void> {
  const work = request.type === "add" ? on.onStore : on.onExistingStore;
  return work(async ({ store, runtime, audit, notify }) => {
    const password = () => newPassword("passwordStdin" in request && request.passwordStdin);
    const carried = await changeAccounts(request, { store, clock: runtime.clock, password });
    answer(carried);
    if (!carried.ok || request.type === "list") return;
    await notify("logins");
    const details = "role" in request ? request.role : "";
    await audit({ act: ACTS[request.type], about: accountName(request.name), details });
  });
}

/** Carries out a request; returns lines for the terminal. */
export async function changeAccounts(request: AccountRequest, world: AccountWorld): Promise<CommandResult> {
  const reads = world.store.tables(accountReads);
  if (request.type === "list") return list(reads);
  const name = accountName(request.name);
  const known = await reads.get(name);
  if (request.type === "add") {
    if (known === null) return add(name, request.role, world);
    return refused(`There is already an account named ${name}. \`deckhand user passwd ${name}\` sets a new password.`);
  }
  if (known === null) return refused(`There is no account named ${name}. \`deckhand user list\` lists the accounts.`);
  const { issuer } = known.identity ?? {};
  if (issuer !== undefined && (request.type === "passwd" || request.type === "role")) {
    return refused(`${name} signs in at ${issuer}, whose groups set the role; there is no password here.`);
  }
  const write = accountWriter(world.store);
  switch (request.type) {
    case "passwd":
      return passwd(name, world);
    case "role":
      await write((accounts) => accounts.setRole(name, readRole(request.role)));
      return done(`${name} is now ${request.role}.`);
    case "logout": {
      const ended = await write((accounts) => accounts.endSessions(name));
      return done(`${name} is signed out everywhere (browsers signed out: ${ended}).`);
    }
    default:
      await write((accounts) => accounts.remove(name));
      return done(`${name} was removed.`);
  }
}

async function add(name: string, role: string, world: AccountWorld): Promise<CommandResult> {
  const problem = nameProblem(name);
  if (problem !== null) return refused(problem);
  const passwordHash = await hashOfNew(world);
  if (typeof passwordHash !== "string") return passwordHash;
  const account = { name, role: readRole(role), passwordHash, createdAt: world.clock.now(), identity: null };
  await accountWriter(world.store)((accounts) => accounts.create(account));
  return done(`${name} can now sign in as ${account.role}.`);
}

async function passwd(name: string, world: AccountWorld): Promise<CommandResult> {
  const hash = await hashOfNew(world);
  if (typeof hash !== "string") return hash;
  await accountWriter(world.store)(async (accounts) => {
    await accounts.setPassword(name, hash);
    await accounts.endSessions(name);
  });
  return done(`${name} has a new password and is signed out everywhere.`);
}

/** The hash of a new password, or the reason for its refusal. */
async function hashOfNew({ password, hashing = passwordHashing() }: AccountWorld): Promise<string | CommandResult> {
  const typed = await password();
  if (typed === null) return refused("The two passwords differ.");
  const problem = passwordProblem(typed);
  return problem === null ? hashing.hash(normalised(typed)) : refused(problem);
}

async function list(reads: ReturnType<typeof accountReads>): Promise<CommandResult> {
  const [accounts, sessions] = await Promise.all([reads.all(), reads.sessionCounts()]);
  if (accounts.length === 0)
    return { ok: true, lines: ["There are no accounts. `deckhand user add <name>` creates one."] };
  const lines = await Promise.all(
    accounts.map(async ({ name, role, signedInAt, identity }) => {
      const links = await reads.links(name);
      const open = sessions.get(name) ?? 0;
      return [
        `${name} · ${role}`,
        ...(identity === null ? [] : [`signs in at ${identity.issuer}`]),
        signedInAt === null ? "never signed in" : `signed in ${new Date(signedInAt).toISOString()}`,
        ...(open === 0 ? [] : [counted(open, "browser")]),
        ...links.map(({ personId, personName }) => `linked to ${personName} (${personId})`),
      ].join(" · ");
    }),
  );
  return { ok: true, lines };
}
