import { describe, expect, test } from "vitest";
import { accountsFeature } from "../../../src/features/accounts/feature.ts";
import { accountNames, groupsIn, roleOf } from "../../../src/features/accounts/oidc/claims.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { startProvider } from "../../support/oidc/provider-server.ts";
import { silentLog } from "../../support/silent-log.ts";

const absent = () => Promise.reject(new Error("nothing asks for it"));
const OIDC = { issuer: "https://login.example.com", clientId: "deckhand", groups: { admins: "admin" } };

const configured = (file: object, environment: Record<string, string> = {}) =>
  accountsFeature.configure({ file: { ...file }, environment, fileName: "deckhand.config.json" });

describe("the OpenID Connect settings", () => {
  test("take the secret from the environment, and it is never logged", () => {
    const written = { oidc: { ...OIDC, clientSecret: "${MY_SECRET}" } };
    const { problems, secrets, usedVariables } = configured(written, { MY_SECRET: "very secret words" });
    expect({ problems, secrets, usedVariables }).toEqual({
      problems: [],
      secrets: ["very secret words"],
      usedVariables: ["MY_SECRET"],
    });
  });

  test.each([
    ["a variable that is not set", { oidc: { ...OIDC, clientSecret: "${MY_SECRET}" } }, "refers to MY_SECRET"],
    ["an issuer without TLS", { oidc: { ...OIDC, issuer: "http://login.example.com" } }, "must be an https:// address"],
    ["nobody who could come in", { oidc: { ...OIDC, groups: {} } }, "nobody could sign in"],
    ["no way in at all", { login: { passwords: false } }, "nobody could sign in"],
  ])("are refused with %s", (_case, file, words) => {
    expect(configured(file).problems).toEqual([expect.stringContaining(words)]);
  });

  test("allow a provider on this machine without TLS, and a client without a secret", () => {
    expect(configured({ oidc: { ...OIDC, issuer: "http://127.0.0.1:8080/realm" } }).problems).toEqual([]);
  });
});

test("are checked by doctor against the provider, with what is wrong", async () => {
  const provider = await startProvider("http://127.0.0.1/unused");
  const look = async (issuer: string) => {
    const feature = configured({ oidc: { ...OIDC, issuer } });
    const world = {
      runtime: systemRuntime(),
      log: silentLog,
      version: "",
      home: "",
      createEmbedder: absent,
      declaredJobs: absent,
      onStore: absent,
    };
    const found = await feature.check?.(world);
    return found?.map(({ ok, text }) => `${ok} ${text}`).join();
  };
  expect(await look(provider.issuer)).toContain("true oidc: http://localhost");
  expect(await look(provider.issuer.replace("localhost", "127.0.0.1"))).toMatch(
    /^false .*calls itself http:\/\/localhost/u,
  );
  expect(await look(`${provider.issuer}/nothing`)).toMatch(/^false .*answers with an error/u);
  await provider.stop();
  expect(await look(provider.issuer)).toMatch(/^false oidc: \S+ cannot be reached \(ECONNREFUSED\)\. Check/u);
});

test.each([
  [{ groups: ["a", 1, "b"] }, "groups", ["a", "b"]],
  [{ groups: "a" }, "groups", ["a"]],
  [{ realm_access: { roles: ["a"] } }, "realm_access.roles", ["a"]],
  [{ "https://acme.example/roles": ["a"] }, "https://acme.example/roles", ["a"]],
  [{ groups: { a: true } }, "groups", null],
  [{}, "constructor.name", null],
])("the claims %o are described for %s as: %o", (claims, claim, groups) => {
  expect(groupsIn(claims, claim)).toEqual(groups);
});

test("the highest role among a person's groups applies", () => {
  const roles = new Map([
    ["a", "admin"],
    ["o", "operator"],
    ["v", "viewer"],
  ] as const);
  expect(roleOf(["v", "a", "o"], roles)).toBe("admin");
  expect(roleOf(["o", "v"], roles)).toBe("operator");
  expect(roleOf(["x"], roles)).toBeNull();
});

test.each(["Ana", "ana@evil.example", "", "Ünï ☃", "../../etc", "a".repeat(300), "-", "local", 7])(
  "the preferred name %s becomes a valid account name that differs between subjects",
  (called) => {
    const names = ["u-1", "u-2"].flatMap((subject) =>
      accountNames("https://login.example.com", subject, { preferred_username: called }),
    );
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,31}$/u);
  },
);
