import { z } from "zod";
import type { Finding } from "../../cli/doctor/finding.ts";
import { field } from "../../config/fields.ts";
import type { Runtime } from "../../core/protocol/runtime.ts";
import type { ConfiguredFeature, Feature, GivenSettings } from "../../feature.ts";
import { type OidcSettings, oidcSchema, readOidc } from "./oidc/settings.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const loginSchema = z
  .strictObject({
    idleMinutes: field(
      z.int().min(1).max(43_200).default(720),
      "Minutes after which an idle browser is signed out.",
      60,
    ),
    longestHours: field(z.int().min(1).max(8_760).default(336), "Hours after which everybody must sign in again.", 24),
    passwords: field(
      z.boolean().default(true),
      "Whether people may sign in by password. If not, they sign in at the provider of `oidc`, and only a browser that has opened a printed address first may use a password.",
      false,
    ),
  })
  .prefault({});

const file = {
  login: field(loginSchema, "How people sign in to the page, and for how long (docs/login.md).", { idleMinutes: 60 }),
  oidc: field(
    oidcSchema.exactOptional(),
    "An OpenID Connect provider at which people sign in to the page (docs/login.md).",
    {
      issuer: "https://login.example.com",
      clientId: "deckhand",
      clientSecret: "${OIDC_CLIENT_SECRET}",
      groups: { "deckhand-admins": "admin" },
    },
  ),
};

/**
 * Sign-in for everybody who opens the page from beyond this machine. The page's access control
 * (adapters/web/server/access-control.ts) asks accounts.ts; throttle.ts slows down guessing. oidc/sign-in.ts signs in
 * at an OpenID Connect provider, and oidc/claims.ts decides as which account and role.
 */
export const accountsFeature: Feature = {
  name: "accounts",
  settings: {
    file,
    fileOnly: {
      login: "It could lock everybody out of this page, so it can only be set in the settings file.",
      oidc: "It says who gets in, and contains a secret, so it can only be set in the settings file.",
    },
  },
  commands: [
    {
      name: "link",
      description: "link your web page account to you",
      usage: "[account code | off]",
      permission: "everyone",
      whenOff: "Accounts are off.",
    },
  ],
  configure,
};

function configure(given: GivenSettings): ConfiguredFeature {
  const { login, oidc: written } = z.object(file).parse(given.file);
  const read = written === undefined ? null : readOidc(written, given.environment);
  const oidc = read?.settings ?? null;
  const settings = {
    idleMs: login.idleMinutes * MINUTE_MS,
    longestMs: login.longestHours * HOUR_MS,
    takesPasswords: login.passwords,
    oidc,
  };
  const isClosed = !login.passwords && oidc === null;
  return {
    problems: [
      ...(read?.problems.map((problem) => `${given.fileName}: ${problem}`) ?? []),
      ...(isClosed
        ? [`${given.fileName}: login.passwords: is off and \`oidc\` is not set, so nobody could sign in.`]
        : []),
    ],
    usedVariables: read?.usedVariables ?? [],
    secrets: oidc === null || oidc.clientSecret === null ? [] : [oidc.clientSecret],
    isEssential: true,
    ...(oidc === null ? {} : { check: ({ runtime }) => checkOf(oidc, runtime) }),
    open: async (host) => {
      const [{ createLogins }, { linkCommand }] = await Promise.all([import("./accounts.ts"), import("./link.ts")]);
      return { logins: createLogins(host, settings), commands: { link: linkCommand(host) } };
    },
  };
}

async function checkOf(oidc: OidcSettings, { clock }: Pick<Runtime, "clock">): Promise<readonly Finding[]> {
  const { checkProvider } = await import("./oidc/check.ts");
  return [await checkProvider(oidc, clock)];
}
