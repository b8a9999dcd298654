import { hash, randomBytes } from "node:crypto";
import { networkOf } from "../../core/attempts.ts";
import { BoundedMap } from "../../core/bounded-map.ts";
import { createTeller } from "../../core/follow-others.ts";
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
import { firstUses } from "./attempts.ts";
import type { OidcSettings } from "./oidc/settings.ts";
import { createProviderLogin } from "./oidc/sign-in.ts";
import { accountReads } from "./store.ts";
import { createThrottle } from "./throttle.ts";

export interface SessionLimits {
  /** A session that nobody uses ends after it. Milliseconds. */
  readonly idleMs: number;
  /** However much it is used. Milliseconds. */
  readonly longestMs: number;
}

export interface LoginSettings extends SessionLimits {
  /** Null: no provider vouches for anybody. */
  readonly oidc?: OidcSettings | null;
  /** False: the provider alone, but for who comes by a printed address. */
  readonly takesPasswords?: boolean;
  /** At what cost passwords are kept and tried: that which they deserve, when left out. */
  readonly hashing?: PasswordHashing;
}

/** Bytes of what a browser keeps: nobody guesses it. */
const TOKEN_BYTES = 32;
/** Browsers that are signed in to one account. */
const MOST_SESSIONS = 20;
/** How exactly the newest use of a session is known. Milliseconds. */
const USE_MS = 60_000;
/** What no password has made, and takes as long to compare with. */
const NOBODYS_HASH = `argon2id$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Accounts as the page's server asks about them. */
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
  const signedOut = createTeller({ cluster, topic: "logins", clock, log });
  const write = accountWriter(store);
  const reads = store.tables(accountReads);
  const world = { store, reads, write, clock, log, audit, limits, hashing, signedOut };
  const begun = (account: Account) => begin(account, world);
  return {
    provider: oidc === null ? null : createProviderLogin(oidc, { ...world, begin: begun }),
    takesPasswords,
    hasAccounts: () => reads.any(),
    createFirst: firstAccount(world),
    signIn: signIn(world),
    signedIn: signedIn(world),
    signOut: signOut(world),
    firstUse: cluster.isShared ? firstUses(world) : null,
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
  /** Somebody is signed out. */
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
      // The command line may have made one meanwhile.
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
      // Nobody learns from the time it takes whether there is such an account.
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

/** What was typed as a name may be a password. */
async function aboutOf(name: string, world: Pick<World, "reads">): Promise<string> {
  return (await named(name, world))?.name ?? "an unknown name";
}

/** One entry a minute for each network that guesses on while it has to wait: what it sends must not fill the log. */
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

/** The token of a new session; null where the account has changed meanwhile. */
async function begin(
  { name, passwordHash }: Pick<Account, "name" | "passwordHash">,
  { write, clock, limits }: World,
): Promise<string | null> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const at = clock.now();
  const session = { id: sessionId(token), accountName: name, expiresAt: at + limits.longestMs };
  const given = { passwordHash, at, idleMs: limits.idleMs, most: MOST_SESSIONS };
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
