import { describe, expect, test } from "vitest";
import { isOverfull } from "../../../src/features/accounts/oidc/claims.ts";
import { refusalOf } from "../../../src/features/accounts/oidc/problems.ts";
import { createProvider, type ProviderIdentity } from "../../../src/features/accounts/oidc/provider.ts";
import { type Oddity, type OddProvider, type Shown, startOddProvider } from "../../support/oidc/odd-provider.ts";

/** Deviations of real providers from the specification. */

const CLIENT = { clientId: "1-a.apps.example", secret: "abc8Q~x.y-z_w" };
const SECRETS = { state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) };
const BACK = "https://deckhand.example.com/login/oidc/callback";

interface Asked extends Oddity {
  /** What the settings call it, behind its origin; as it calls itself when left out. */
  readonly set?: string;
  readonly groupsClaim?: string;
  readonly answered?: Readonly<Record<string, string>>;
}

async function signInAt(asked: Asked): Promise<OddProvider & { readonly signIn: () => Promise<ProviderIdentity> }> {
  const { set, groupsClaim = "groups", answered = { code: "one" }, ...odd } = asked;
  const found = await startOddProvider(odd, { ...SECRETS, ...CLIENT });
  const settings = {
    issuer: new URL(`${found.origin}${set ?? odd.path ?? ""}`),
    clientId: CLIENT.clientId,
    clientSecret: CLIENT.secret,
    groups: new Map(),
    groupsClaim,
    defaultRole: null,
    scope: "openid profile",
    label: "Example",
  };
  const provider = createProvider(settings, Date);
  const back = new URL(`${BACK}?${new URLSearchParams({ state: SECRETS.state, ...answered }).toString()}`);
  const signIn = async () => {
    await provider.address(BACK, SECRETS);
    return provider.identity(back, SECRETS);
  };
  return { ...found, signIn };
}

const groupsAt = async (asked: Asked) => (await (await signInAt(asked)).signIn()).groups;

async function problemAt(asked: Asked): Promise<string> {
  const { signIn } = await signInAt(asked);
  return signIn().then(
    () => "",
    (error: unknown) => refusalOf(error).problem,
  );
}

describe("the client secret", () => {
  const inBody = ({ body }: Shown) => body === CLIENT.secret;
  const byTheBook = ({ header }: Shown) =>
    header?.split(":").map(decodeURIComponent).join(":") === `${CLIENT.clientId}:${CLIENT.secret}`;
  const asItIs = (shown: Shown) => shown.header === `${CLIENT.clientId}:${CLIENT.secret}` || inBody(shown);
  const both = ["client_secret_basic", "client_secret_post"];

  test.each([
    ["a client that shows it in the body", { listed: both, takes: inBody, error: "invalid_client" }],
    ["one that does, at Auth0", { listed: both, takes: inBody, error: "access_denied" }],
    ["one that does, where nothing is said of it", { listed: undefined, takes: inBody, error: "invalid_client" }],
    ["a client that shows it in a header", { listed: both, takes: byTheBook, error: "invalid_client" }],
    ["one that does, where nothing is said of it", { listed: undefined, takes: byTheBook, error: "invalid_client" }],
    ["one that does, where nothing is found to be wrong", { listed: both, takes: byTheBook, error: "invalid_request" }],
    ["one that does, where nothing is said", { listed: both, takes: byTheBook, error: "" }],
    ["one whose header is not decoded", { listed: both, takes: asItIs, error: "invalid_client" }],
  ])("is sent by the method that the provider accepts, for %s", async (_case, { listed, takes, error }) => {
    const { signIn, shown } = await signInAt({
      metadata: { token_endpoint_auth_methods_supported: listed },
      claims: { groups: ["a"] },
      refuses: (one) => (takes(one) ? null : [401, error]),
    });
    for (const _ of [1, 2]) expect((await signIn()).groups).toEqual(["a"]);
    // From then on, the way to send the secret is known.
    expect(shown.length).toBeLessThanOrEqual(3);
    expect(shown.slice(-2).map(takes)).toEqual([true, true]);
  });

  test.each(["invalid_client", "access_denied"])(
    "is named as the cause if the provider refuses it with %s",
    async (error) => {
      expect(await problemAt({ refuses: () => [401, error] })).toContain("`oidc.clientSecret`");
    },
  );
});

test.each([
  ["/application/o/deckhand/", "/application/o/deckhand"],
  ["/realms/acme", "/realms/acme/"],
  ["/realms/acme", "/realms/acme/.well-known/openid-configuration"],
])("a provider whose issuer is %s may be configured as %s", async (path, set) => {
  const { signIn, origin } = await signInAt({ path, set });
  expect(await signIn()).toMatchObject({ issuer: `${origin}${path}`, subject: "u-1" });
});

const ORGANISATIONS = { "32": "acme.example" };
test.each([
  [{ claims: { roles: { admin: ORGANISATIONS, user: ORGANISATIONS } } }, ["admin", "user"]],
  [{ claims: { roles: {} } }, []],
  [{ claims: { roles: null }, userinfo: { roles: ["a"] } }, ["a"]],
  [{ claims: { _claim_names: { roles: "src1" } } }, null],
])("the role claims %o grant the roles %o", async (said, roles) => {
  expect(await groupsAt({ ...said, groupsClaim: "roles" })).toEqual(roles);
});

test.each([
  [{ _claim_names: { groups: "src1" } }, true],
  [{ hasgroups: "true" }, true],
  [{ _claim_names: { address: "src1" } }, false],
  [{}, false],
])("the claims %o omit the groups because there are too many: %s", (claims, isSo) => {
  expect(isOverfull(claims, "groups")).toBe(isSo);
});

test.each([
  [
    "a name of many tenants",
    { metadata: { issuer: "{tenantid}" }, set: "/.well-known/openid-configuration" },
    "many tenants",
  ],
  ["another name", { set: "/realms/other" }, /calls itself http:\/\/127.0.0.1:\d+\/, which differs from/u],
  ["no keys", { metadata: { jwks_uri: undefined } }, "no OpenID Connect provider"],
  ["a scope that it does not give", { answered: { error: "invalid_scope" } }, "`oidc.scope`"],
  ["a failure of its own", { answered: { error: "server_error" } }, "Try again in a moment"],
  ["a person who is not let in", { answered: { error: "access_denied" } }, "denied the sign-in"],
  ["a failure at the token endpoint", { refuses: () => [502, ""] as const }, "Try again in a moment"],
  ["something that nobody has foreseen", { answered: { error: "invalid_target" } }, "the log tells"],
])("%s is explained in a helpful message", async (_case, odd, words) => {
  expect(await problemAt(odd)).toMatch(words);
});

test("an untrusted certificate and an unreachable provider give different messages", () => {
  const failed = (code: string) =>
    refusalOf(new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code }) })).problem;
  for (const code of ["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "ERR_TLS_CERT_ALTNAME_INVALID"]) {
    expect(failed(code)).toContain("NODE_EXTRA_CA_CERTS");
  }
  expect(failed("ECONNREFUSED")).toContain("cannot be reached");
});
