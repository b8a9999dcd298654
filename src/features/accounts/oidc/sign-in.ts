import { networkOf } from "../../../core/attempts.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import type { Account, AccountRole, ProviderLogin, ProviderOutcome } from "../account.ts";
import type { Write } from "../account-writer.ts";
import { createAttempts } from "../attempts.ts";
import { accountNames, isOverfull, roleOf } from "./claims.ts";
import { refusalOf } from "./problems.ts";
import { createProvider, type ProviderIdentity } from "./provider.ts";
import type { OidcSettings } from "./settings.ts";

/** Maximum number of invalid answers from one network before it must wait, and how long they count, in milliseconds. */
const MAX_WRONG = 20;
const WINDOW_MS = 900_000;
/** Maximum number of a person's groups in a log line. */
const MAX_LOGGED = 50;

interface Means extends Pick<FeatureHost, "store" | "log" | "audit"> {
  readonly clock: Pick<Clock, "now">;
  readonly write: Write;
  /** Starts a session and returns its token; null if the account has changed meanwhile. */
  readonly begin: (account: Account) => Promise<string | null>;
  /** Called when somebody is signed out. */
  readonly signedOut: () => void;
}

const TOO_MANY: ProviderOutcome = {
  type: "refused",
  problem: "Too many attempts. Wait a few minutes, then try again.",
};
const NO_GROUP: ProviderOutcome = {
  type: "refused",
  problem:
    "You are not in any of the groups that may sign in here. Ask whoever manages the groups; the log tells an operator which ones the provider names.",
};
const NO_GROUPS_SAID: ProviderOutcome = {
  type: "refused",
  problem:
    "The provider does not say which groups you are in. An operator must check `oidc.groupsClaim` and `oidc.scope`, and whether the provider puts that claim into ID tokens.",
};
const TOO_MANY_GROUPS: ProviderOutcome = {
  type: "refused",
  problem:
    "You are in more groups than the provider lists. An operator must have it list only the groups assigned to Deckhand, or use roles instead.",
};
const AGAIN: ProviderOutcome = { type: "refused", problem: "Your account has changed in the meantime. Try again." };

/** Sign-in at the operator's OpenID Connect provider. */
export function createProviderLogin(settings: OidcSettings, means: Means): ProviderLogin {
  const provider = createProvider(settings, means.clock);
  const attempts = createAttempts(means, WINDOW_MS);
  return {
    label: settings.label,
    async begin(redirectUri, secrets) {
      try {
        return { type: "at", address: (await provider.address(redirectUri, secrets)).href };
      } catch (error) {
        means.log.warn({ err: error }, "oidc_unavailable");
        return refusalOf(error);
      }
    },
    async finish({ answered, secrets, address }) {
      const by = [{ key: `provider ${networkOf(address)}`, most: MAX_WRONG }];
      if ((await attempts.count(by)) > 0) return TOO_MANY;
      let identity: ProviderIdentity;
      try {
        identity = await provider.identity(answered, secrets);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal.type === "unavailable") await attempts.takeBack(by);
        means.log.warn({ err: error, address }, "oidc_sign_in_failed");
        await means.audit({ by: "", act: "login.failed", about: settings.label, details: `from ${address}` });
        return refusal;
      }
      await attempts.takeBack(by);
      const outcome = await enter(identity, { settings, means });
      const isIn = outcome.type === "signed_in";
      const name = isIn ? outcome.name : `${identity.subject} at ${settings.label}`;
      const logged = isIn
        ? {}
        : { groups: identity.groups?.slice(0, MAX_LOGGED), claims: Object.keys(identity.claims) };
      means.log.info({ subject: name, address, ...logged }, isIn ? "signed_in" : "oidc_not_let_in");
      const act = isIn ? "login.succeeded" : "login.failed";
      await means.audit({ by: isIn ? name : "", act, about: name, details: `from ${address}` });
      return outcome;
    },
  };
}

/** Signs a person in. One who is no longer in any group is signed out everywhere. */
async function enter(
  identity: ProviderIdentity,
  { settings, means }: { readonly settings: OidcSettings; readonly means: Means },
): Promise<ProviderOutcome> {
  const { issuer, subject, claims, groups } = identity;
  const role = roleOf(groups ?? [], settings.groups) ?? settings.defaultRole;
  if (role === null) {
    await means.write(async (accounts) => {
      const account = await accounts.byIdentity({ issuer, subject });
      if (account !== null) await accounts.endSessions(account.name);
    });
    means.signedOut();
    if (groups !== null) return NO_GROUP;
    return isOverfull(claims, settings.groupsClaim) ? TOO_MANY_GROUPS : NO_GROUPS_SAID;
  }
  const account = await accountOf(identity, role, means);
  const token = account === null ? null : await means.begin(account);
  return account === null || token === null ? AGAIN : { type: "signed_in", token, name: account.name };
}

/** The person's account with their current role; null if no name is free for a new one. */
async function accountOf(identity: ProviderIdentity, role: AccountRole, means: Means): Promise<Account | null> {
  const { issuer, subject, claims } = identity;
  const { write, clock, audit } = means;
  let before: AccountRole | null = null;
  const account = await write(async (accounts) => {
    const known = await accounts.byIdentity({ issuer, subject });
    if (known !== null) {
      before = known.role;
      await accounts.setRole(known.name, role);
      return known;
    }
    for (const name of accountNames(issuer, subject, claims)) {
      if ((await accounts.get(name)) !== null) continue;
      await accounts.create({ name, role, passwordHash: "", createdAt: clock.now(), identity: { issuer, subject } });
      return accounts.get(name);
    }
    return null;
  });
  if (account === null || before === role) return account;
  const act = before === null ? "account.added" : "account.role";
  await audit({ by: issuer, act, about: account.name, details: role });
  return account;
}
