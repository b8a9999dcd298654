import { hash, randomBytes } from "node:crypto";
import { networkOf } from "../../core/attempts.ts";
import { BoundedMap } from "../../core/bounded-map.ts";
import { createChangeNotifier } from "../../core/change-notices.ts";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { type PasswordHashing, passwordHashing } from "../../core/text/password-hash.ts";
import type { FeatureHost } from "../../feature-host.ts";
import {
  type Account,
  accountName,
  type Logins,
  nameIn,
  nameProblem,
  normalised,
  passwordProblem,
  personOf,
} from "./account.ts";
import { accountWriter, type Write } from "./account-writer.ts";
import { createFirstUseCheck } from "./attempts.ts";
import type { OidcSettings } from "./oidc/settings.ts";
import { createProviderLogin } from "./oidc/sign-in.ts";
import { accountReads } from "./store.ts";
import { createThrottle } from "./throttle.ts";

export interface SessionLimits {
  /** A session unused for this long ends, in milliseconds. */
  readonly idleMs: number;
  /** Maximum duration of a session, however much it is used, in milliseconds. */
  readonly longestMs: number;
}

export interface LoginSettings extends SessionLimits {
  /** Null if there is no OpenID Connect provider. */
  readonly oidc?: OidcSettings | null;
  /** If false, people sign in at the provider only, except those who opened a printed address. */
  readonly takesPasswords?: boolean;
  /** Cost of hashing passwords; the recommended one if left out. */
  readonly hashing?: PasswordHashing;
}

/** Size of a session token in bytes, enough that it cannot be guessed. */
const TOKEN_BYTES = 32;
/** Maximum number of browsers signed in to one account. */
const MAX_SESSIONS = 20;
/** Precision of a session's last use, in milliseconds. */
const USE_MS = 60_000;
/** A hash that no password produces, but that takes as long to compare. */
const NOBODYS_HASH = `argon2id$${"A".repeat(22)}$${"A".repeat(43)}`;

/** The accounts, as the page's server uses them. */
export function createLogins(
  {
    store,
    runtime: { clock },
    log,
    audit,
    cluster,
  }: Pick<FeatureHost, "store" | "runtime" | "log" | "audit" | "cluster">,
  { oidc = null, takesPasswords = true, hashing = passwordHashing(), ...limits }: LoginSettings,
): Logins {
  const signedOut = createChangeNotifier({ cluster, topic: "logins", clock, log });
  const write = accountWriter(store);
  const reads = store.tables(accountReads);
  const world = { store, reads, write, clock, log, audit, limits, hashing, signedOut };
  const beginSession = (account: Account) => begin(account, world);
  return {
    provider: oidc === null ? null : createProviderLogin(oidc, { ...world, begin: beginSession }),
    takesPasswords,
    hasAccounts: () => reads.any(),
    createFirst: firstAccount(world),
    signIn: signIn(world),
    signedIn: signedIn(world),
    signOut: signOut(world),
    firstUse: cluster.isShared ? createFirstUseCheck(world) : null,
    async personOf(personId) {
      const name = nameIn(personId);
      const account = name === null ? null : await reads.get(name);
      return account === null ? null : personOf(account, await reads.links(account.name));
    },
  };
}

interface World extends Pick<FeatureHost, "store"> {
  readonly reads: ReturnType<typeof accountReads>;
  readonly write: Write;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly audit: FeatureHost["audit"];
  readonly limits: SessionLimits;
  readonly hashing: PasswordHashing;
  /** Called when somebody is signed out. */
  readonly signedOut: () => void;
}

function firstAccount(world: World): Logins["createFirst"] {
  const { reads, write, clock, audit, hashing } = world;
  const founding = new KeyedMutex();
  return ({ name: typed, password }) =>
    founding.run("first", async () => {
      if (await reads.any()) return { type: "taken" };
      const name = accountName(typed);
      const problem = nameProblem(name) ?? passwordProblem(password);
      if (problem !== null) return { type: "invalid", problem };
      const passwordHash = await hashing.hash(normalised(password));
      // The command line may have created one meanwhile.
      const isFirst = await write(async (accounts) => {
        if (await accounts.any()) return false;
        await accounts.create({ name, role: "admin", passwordHash, createdAt: clock.now(), identity: null });
        return true;
      });
      const token = isFirst ? await begin({ name, passwordHash }, world) : null;
      if (isFirst) await audit({ by: name, act: "account.added", about: name, details: "admin, on the set-up page" });
      return token === null ? { type: "taken" } : { type: "signed_in", token, name };
    });
}

function signIn(world: World): Logins["signIn"] {
  const { hashing, log, audit } = world;
  const throttle = createThrottle(world);
  const noteWait = waitsForAudit(world);
  return async ({ name: typed, password, address, device }) => {
    const name = accountName(typed);
    const tried = await throttle({ name, address, device }, async () => {
      const account = await named(name, world);
      // An unknown name takes as long as a wrong password, so that timing does not reveal which accounts exist.
      const hash = account?.identity === null ? account.passwordHash : NOBODYS_HASH;
      const isRight = await hashing.isOf(hash, normalised(password));
      return isRight && account !== null ? begin(account, world) : null;
    });
    if (tried.type === "wait") {
      await noteWait(name, address);
      return tried;
    }
    const { token } = tried;
    if (token === null) {
      log.warn({ address }, "sign_in_wrong");
      await audit({ by: "", act: "login.failed", about: await aboutOf(name, world), details: `from ${address}` });
      return { type: "wrong" };
    }
    log.info({ account: name, address }, "signed_in");
    await audit({ by: name, act: "login.succeeded", about: name, details: `from ${address}` });
    return { type: "signed_in", token, name };
  };
}

async function named(name: string, { reads }: Pick<World, "reads">): Promise<Account | null> {
  return nameProblem(name) === null ? reads.get(name) : null;
}

/** The name for the audit log. An unknown one is left out, since it may be a mistyped password. */
async function aboutOf(name: string, world: Pick<World, "reads">): Promise<string> {
  return (await named(name, world))?.name ?? "an unknown name";
}

/**
 * Minimum time between audit entries for one network that keeps guessing while it must wait, so that guesses cannot
 * fill the log. In milliseconds.
 */
const WAIT_NOTED_MS = 60_000;
const NETWORKS = 1_000;

function waitsForAudit(world: World): (name: string, address: string) => Promise<void> {
  const noted = new BoundedMap<string, number>(NETWORKS);
  return async (name, address) => {
    const now = world.clock.now();
    const network = networkOf(address);
    if (now - (noted.get(network) ?? Number.NEGATIVE_INFINITY) < WAIT_NOTED_MS) return;
    noted.set(network, now);
    const about = await aboutOf(name, world);
    await world.audit({ by: "", act: "login.throttled", about, details: `from ${address}` });
  };
}

function signOut({ reads, write, audit, signedOut }: World): Logins["signOut"] {
  return async (token) => {
    const id = sessionId(token);
    const session = await reads.session(id);
    await write((accounts) => accounts.endSession(id));
    signedOut();
    if (session !== null) await audit({ by: session.account.name, act: "login.ended", about: session.account.name });
  };
}

/** Starts a session and returns its token; null if the account has changed meanwhile. */
async function begin(
  { name, passwordHash }: Pick<Account, "name" | "passwordHash">,
  { write, clock, limits }: World,
): Promise<string | null> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const at = clock.now();
  const session = { id: sessionId(token), accountName: name, expiresAt: at + limits.longestMs };
  const given = { passwordHash, at, idleMs: limits.idleMs, most: MAX_SESSIONS };
  return (await write((accounts) => accounts.addSession(session, given))) ? token : null;
}

function signedIn({ reads, write, clock, limits }: World): Logins["signedIn"] {
  return async (token, isUse) => {
    const id = sessionId(token);
    const session = await reads.session(id);
    if (session === null) return null;
    const { account, usedAt, expiresAt } = session;
    const now = clock.now();
    if (now >= expiresAt || now - usedAt >= limits.idleMs) {
      await write((accounts) => accounts.endSession(id));
      return null;
    }
    if (isUse && now - usedAt >= USE_MS) await write((accounts) => accounts.useSession(id, now));
    return { name: account.name, role: account.role, person: personOf(account, await reads.links(account.name)) };
  };
}

function sessionId(token: string): string {
  return hash("sha256", token);
}
