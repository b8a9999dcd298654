import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { accountReads } from "../../../src/features/accounts/store.ts";
import { useEmptiedDatabases } from "../../support/database/emptied-databases.ts";
import { startProvider } from "../../support/oidc/provider-server.ts";
import { expectSound } from "../console/console-world.ts";
import { LIMITS, PASSWORD } from "./login-world.ts";
import { type OidcWorld, useOidcWorlds } from "./oidc-world.ts";

/** Signing in at a real provider, in a real browser. */

const opened = useOidcWorlds(useEmptiedDatabases());
const shell = (page: Page) => page.getByRole("button", { name: "Sign out" });
const problem = (page: Page) => page.getByRole("alert").textContent();

/** The answer to a code that the provider never issued. */
async function guessed({ browser: jar, provider }: OidcWorld): Promise<string> {
  const mine = jar();
  const there = new URL(String((await mine.get("/login/oidc")).headers["location"]));
  const query = { state: there.searchParams.get("state") ?? "", code: "guessed", iss: provider.issuer };
  return (await mine.get(`/login/oidc/callback?${new URLSearchParams(query).toString()}`)).body;
}

describe("signing in at the OpenID Connect provider", () => {
  test("creates an account with its group's role and an unused name, and signing out works", async () => {
    const { page: open, enter, origin, store, subjects } = await opened();
    const page = await open();
    await page.goto(origin);
    expect(new URL(page.url()).pathname).toBe("/login");
    await expectSound(page, "login-provider");
    await enter(page, "u-1");
    await shell(page).waitFor();
    expect(page.url()).toBe(`${origin}/`);
    expect(await subjects()).toEqual([["u-1", "operator"]]);
    const [account] = await store.tables(accountReads).all();
    expect(account?.name).toMatch(/^ana-maria-[0-9a-z]{6}$/u);
    await shell(page).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await store.tables(accountReads).sessionCounts()).toEqual(new Map());
  });

  test("creates separate accounts for separate subjects, even with the same name and e-mail", async () => {
    const { page: open, enter, provider, store, addAccount } = await opened();
    await addAccount("ana-maria", "admin");
    provider.people.set("u-2", { preferred_username: "Ana Maria", groups: ["deckhand-people"] });
    for (const person of ["u-1", "u-2"]) {
      const page = await open();
      await enter(page, person);
      await shell(page).waitFor();
    }
    const accounts = await store.tables(accountReads).all();
    expect(new Set(accounts.map(({ identity }) => identity?.subject ?? null))).toEqual(new Set([null, "u-1", "u-2"]));
    expect(new Set(accounts.map(({ name }) => name)).size).toBe(3);
    // The provider may change a person's name; the account stays the same.
    provider.people.set("u-1", { preferred_username: "root", groups: ["deckhand-people"] });
    const page = await open();
    await enter(page, "u-1");
    await shell(page).waitFor();
    expect(await store.tables(accountReads).all()).toHaveLength(3);
  });

  test("applies the current role: a higher one, a lower one, or none, which closes open pages", async () => {
    const { page: open, enter, provider, subjects, store } = await opened();
    const roleWith = async (groups: readonly string[]) => {
      provider.people.set("u-1", { groups });
      const page = await open();
      await enter(page, "u-1");
      return page;
    };
    await shell(await roleWith(["deckhand-admins", "deckhand-people"])).waitFor();
    expect(await subjects()).toEqual([["u-1", "admin"]]);
    const before = await roleWith(["deckhand-people"]);
    await shell(before).waitFor();
    expect(await subjects()).toEqual([["u-1", "operator"]]);
    const refused = await roleWith(["others"]);
    expect(await problem(refused)).toContain("not in any of the groups");
    expect(await store.tables(accountReads).sessionCounts()).toEqual(new Map());
    const entries = await store.tables((db) => db.auditEntry.findMany({ orderBy: [{ at: "asc" }, { id: "asc" }] }));
    expect(entries.map(({ act, details }) => `${act} ${details}`)).toEqual([
      "account.added admin",
      "login.succeeded from 127.0.0.1",
      "account.role operator",
      "login.succeeded from 127.0.0.1",
      "login.failed from 127.0.0.1",
    ]);
    await before.reload();
    await before.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test.each([
    ["no groups at all", {}, "groups"],
    ["groups under another claim", { groups: ["deckhand-admins"] }, "roles"],
  ])("is refused to a person with %s, and creates no account", async (_case, subject, groupsClaim) => {
    const { page: open, enter, provider, subjects } = await opened({ written: { groupsClaim } });
    provider.people.set("u-3", subject);
    const page = await open();
    await enter(page, "u-3");
    expect(await problem(page)).toContain("does not say which groups");
    expect(await subjects()).toEqual([]);
  });

  test("gives the default role to a person in no group", async () => {
    const { page: open, enter, provider, subjects } = await opened({ written: { defaultRole: "viewer" } });
    provider.people.set("u-3", { groups: ["others"] });
    const page = await open();
    await enter(page, "u-3");
    await shell(page).waitFor();
    expect(await subjects()).toEqual([["u-3", "viewer"]]);
  });

  test("creates a session that ends when idle, and the account has no password", async () => {
    const { page: open, enter, clock, store, browser: jar } = await opened();
    const page = await open();
    await enter(page, "u-1");
    await shell(page).waitFor();
    const [account] = await store.tables(accountReads).all();
    const name = account?.name ?? "";
    for (const password of ["", PASSWORD]) expect((await jar().signIn(name, password)).status).toBe(401);
    clock.set(clock.now() + LIMITS.idleMs);
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});

describe("a forged or replayed authorization response", () => {
  test.each([
    ["state", (there: URL) => there.searchParams.set("state", "A".repeat(43)), "was started in another browser"],
    ["nonce", (there: URL) => there.searchParams.set("nonce", "A".repeat(43)), "belongs to another sign-in"],
    ["PKCE challenge", (there: URL) => there.searchParams.set("code_challenge", "A".repeat(43)), "expired"],
  ])("signs nobody in if another %s was substituted in transit", async (_what, change, words) => {
    const { page: open, answered, subjects } = await opened();
    const page = await open();
    await page.goto((await answered(page, change)).href);
    expect(await problem(page)).toContain(words);
    expect(await subjects()).toEqual([]);
  });

  test.each([
    ["no state", (back: URL) => back.searchParams.delete("state"), "was started in another browser"],
    ["a made-up code", (back: URL) => back.searchParams.set("code", "A".repeat(43)), "expired"],
    ["no issuer", (back: URL) => back.searchParams.delete("iss"), "is not valid"],
    ["another issuer", (back: URL) => back.searchParams.set("iss", "https://evil.example"), "is not valid"],
    [
      "an error in place of a code",
      (back: URL) => {
        back.searchParams.delete("code");
        back.searchParams.set("error", "access_denied");
        back.searchParams.set("error_description", "<script>alert(1)</script>");
      },
      "denied the sign-in",
    ],
  ])("signs nobody in with %s", async (_what, change, words) => {
    const { page: open, answered, subjects } = await opened();
    const page = await open();
    const back = await answered(page);
    change(back);
    await page.goto(back.href);
    expect(await problem(page)).toContain(words);
    expect(await page.content()).not.toContain("alert(1)");
    expect(await subjects()).toEqual([]);
  });

  test("signs nobody in in a browser other than the one that started it, nor with another browser's code", async () => {
    const { page: open, answered, subjects } = await opened();
    const [victim, attacker] = [await open(), await open()];
    const back = await answered(attacker);
    await victim.goto(back.href);
    expect(await problem(victim)).toContain("was started in another browser");
    const his = await answered(victim);
    his.searchParams.set("code", back.searchParams.get("code") ?? "");
    await victim.goto(his.href);
    expect(await problem(victim)).toContain("expired");
    expect(await subjects()).toEqual([]);
  });

  test("is valid once, and not after its time limit", async () => {
    const { page: open, answered, clock, browser: jar, port, provider } = await opened();
    const page = await open();
    const back = await answered(page);
    const cookies = await page.context().cookies();
    const thief = jar();
    for (const { name, value } of cookies) thief.cookies.set(name, value);
    await page.goto(back.href);
    await shell(page).waitFor();
    const before = provider.codes();
    expect(thief.cookies.has(`deckhand_${port}_provider`)).toBe(true);
    expect((await thief.get(`${back.pathname}${back.search}`)).status).toBe(403);
    expect(provider.codes()).toBe(before);
    // Opened again from the browser's history, the address leads to the page.
    await page.goto(back.href);
    await shell(page).waitFor();
    expect(provider.codes()).toBe(before);
    const late = await open();
    const slow = await answered(late);
    clock.set(clock.now() + 600_000);
    await late.goto(slow.href);
    expect(await problem(late)).toContain("expired");
  });

  test("is accepted in each of two tabs of one browser", async () => {
    const { page: open, answered, origin, store } = await opened();
    const page = await open();
    const first = await answered(page);
    const begun = await page.context().request.get(`${origin}/login/oidc`, { maxRedirects: 0 });
    for (const address of [first.href, begun.headers()["location"] ?? ""]) {
      await page.goto(address);
      await shell(page).waitFor();
    }
    expect([...(await store.tables(accountReads).sessionCounts()).values()]).toEqual([1]);
  });

  test("is refused if it is from another provider, and its code is sent to neither", async () => {
    const { page: open, answered, origin, provider, subjects } = await opened();
    const other = await startProvider(`${origin}/login/oidc/callback`);
    other.people.set("u-1", { groups: ["deckhand-admins"] });
    const page = await open();
    const back = await answered(page, (there) => {
      there.port = new URL(other.issuer).port;
    });
    expect(back.searchParams.get("iss")).toBe(other.issuer);
    await page.goto(back.href);
    expect(await problem(page)).toContain("is not valid");
    expect([provider.codes(), other.codes()]).toEqual([0, 0]);
    expect(await subjects()).toEqual([]);
  });

  test("cannot redirect the browser to another site", async () => {
    const { page: open, answered, origin } = await opened();
    const page = await open();
    const back = await answered(page);
    for (const name of ["return", "next", "redirect", "redirect_uri", "url"])
      back.searchParams.set(name, "//evil.example/");
    await page.goto(back.href);
    await shell(page).waitFor();
    expect(page.url()).toBe(`${origin}/`);
  });

  test("is checked at most twenty times in fifteen minutes", async () => {
    const world = await opened();
    const { provider, clock } = world;
    const guess = () => guessed(world);
    for (let tries = 0; tries < 20; tries += 1) expect(await guess()).toContain("expired");
    expect(await guess()).toContain("Too many attempts");
    expect(provider.codes()).toBe(20);
    clock.set(clock.now() + 900_000);
    expect(await guess()).toContain("expired");
  });
});

test("the setup link works when followed from a page of another site, such as a log viewer", async () => {
  const { page: open, provider, origin, link } = await opened();
  const page = await open();
  await page.goto(`${provider.issuer}/sign-in/anywhere`);
  await page.evaluate(`location.href = ${JSON.stringify(`${origin}${link()}`)}`);
  await page.getByRole("heading", { name: "Set up Deckhand" }).waitFor();
});

test("behind a proxy that requires a new sign-in, an open page navigates to it", async () => {
  const { page: open, enter, platform, origin } = await opened();
  const page = await open();
  await enter(page);
  await shell(page).waitFor();
  const elsewhere = { status: 302, headers: { location: "https://sso.example.com/" } };
  await page.route(`${origin}/session`, (route) => route.fulfill(elsewhere));
  await page.route(`${origin}/`, (route) => route.fulfill({ contentType: "text/html", body: "the team's own door" }));
  await platform.stop();
  await page.getByText("the team's own door").waitFor();
  await page.unrouteAll();
});

test("many sign-ins from one address lock nobody out", async () => {
  const { page: open, answered } = await opened();
  const page = await open();
  for (let times = 0; times < 21; times += 1) {
    const back = await answered(page);
    expect((await page.context().request.get(back.href, { maxRedirects: 0 })).status()).toBe(303);
  }
});

test("attempts while the provider is unavailable count towards no throttle", async () => {
  const world = await opened();
  expect(await guessed(world)).toContain("expired");
  await world.provider.stop();
  for (let tries = 0; tries < 25; tries += 1) expect(await guessed(world)).toContain("cannot be reached");
});

describe("the login page explains", () => {
  test("an unavailable provider, both before the redirect and on return", async () => {
    const { page: open, answered, provider, origin, addAccount } = await opened();
    await addAccount("bob");
    const page = await open();
    const back = await answered(page);
    await provider.stop();
    await page.goto(back.href);
    expect(await problem(page)).toContain("cannot be reached");
    const late = await opened();
    await late.provider.stop();
    await page.goto(`${late.origin}/login`);
    await page.getByRole("link", { name: "Sign in with" }).click();
    expect(await problem(page)).toContain("cannot be reached");
    // People with a password can still sign in.
    await page.goto(`${origin}/login`);
    await page.getByLabel("Name").fill("bob");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await shell(page).waitFor();
  });

  test("a wrong client secret, and clocks that differ too much", async () => {
    const refused = async ({ page: open, enter, subjects }: OidcWorld) => {
      const page = await open();
      await enter(page);
      expect(await subjects()).toEqual([]);
      return problem(page);
    };
    expect(await refused(await opened({ written: { clientSecret: "another" } }))).toContain("`oidc.clientSecret`");
    const late = await opened();
    late.provider.slow(7_200);
    expect(await refused(late)).toContain("clocks");
  });

  test("an issuer that differs from the configured one", async () => {
    const real = await startProvider("http://127.0.0.1/unused");
    const { page: open, origin } = await opened({
      written: { issuer: real.issuer.replace("localhost", "127.0.0.1") },
    });
    const page = await open();
    await page.goto(`${origin}/login`);
    await page.getByRole("link", { name: "Sign in with" }).click();
    expect(await problem(page)).toContain("`oidc.issuer`");
  });
});

describe("with passwords disabled", () => {
  test("the login page has no form, a hand-made form is refused, and the setup link still allows a password", async () => {
    const { browser: jar, addAccount, link, port } = await opened({ passwords: false });
    await addAccount("ana", "admin");
    const stranger = jar();
    const page = await stranger.get("/login");
    expect(page.body).not.toContain("password");
    const vouched = jar();
    await vouched.get(link());
    expect((await vouched.signIn("ana")).status).toBe(303);
    const other = jar();
    await other.get(link());
    const token = /name="token" value="([^"]+)"/u.exec((await other.get("/login")).body)?.[1] ?? "";
    other.cookies.delete(`deckhand_${port}_device`);
    const refused = await other.post("/login", { token, name: "ana", password: PASSWORD });
    expect(refused.status).toBe(403);
    expect(refused.body).toContain("Passwords are turned off");
  });
});
