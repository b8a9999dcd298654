import { describe, expect, test } from "vitest";
import { changeAccounts } from "../../../src/features/accounts/command-line.ts";
import { accountReads } from "../../../src/features/accounts/store.ts";
import { useEmptiedDatabases } from "../../support/database/emptied-databases.ts";
import { HASHING, LIMITS, type LoginWorld, loginWorld, PASSWORD } from "./login-world.ts";

const emptied = useEmptiedDatabases();
const opened = async (): Promise<LoginWorld> => loginWorld({ store: await emptied() });

/** A world with an account for Ana. */
async function withAna(): Promise<LoginWorld> {
  const world = await opened();
  await world.addAccount("ana");
  return world;
}

describe("the first account", () => {
  test("until it exists only the health probes and the setup link are served", async () => {
    const { browser } = await opened();
    const page = await browser().get("/");
    expect(page).toMatchObject({ status: 303, headers: { location: "/setup" } });
    const setup = await browser().get("/setup");
    expect(setup.status).toBe(401);
    expect(setup.body).toContain("Open the address that Deckhand printed");
    expect((await browser().get("/healthz")).status).toBe(200);
    for (const path of [
      "/page.js",
      "/page.css",
      "/session",
      "/files/x",
      "/nowhere",
      "/features/usage/x",
      "/index.html",
    ])
      expect((await browser().get(path)).status, path).toBe(401);
    expect(await browser().open()).toBe(401);
  });

  test("is created by one browser with the setup link, as an admin who is then signed in", async () => {
    const { browser, link, store } = await opened();
    const [mine, late] = [browser(), browser()];
    const printed = link();
    expect(await mine.get(printed)).toMatchObject({ status: 303, headers: { location: "/setup" } });
    expect(await late.get(printed)).toMatchObject({ status: 303, headers: { location: "/setup" } });
    expect((await late.get("/setup")).status).toBe(401);
    const made = await mine.submit("/setup", { name: "Ana", password: PASSWORD, again: PASSWORD });
    expect(made).toMatchObject({ status: 303, headers: { location: "/" } });
    expect((await mine.get("/")).body).toContain("/page.js");
    expect(await store.tables(accountReads).get("ana")).toMatchObject({ role: "admin" });
    expect(await late.get("/setup")).toMatchObject({ status: 303, headers: { location: "/login" } });
  });

  test("is created once if two browsers submit the form concurrently", async () => {
    const { browser, link, store } = await opened();
    const both = [browser(), browser()];
    for (const one of both) await one.get(link());
    const answers = await Promise.all(
      both.map((one, index) => one.submit("/setup", { name: `one${index}`, password: PASSWORD, again: PASSWORD })),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([303, 409]);
    expect(await store.tables(accountReads).all()).toHaveLength(1);
    const loser = both[answers.findIndex(({ status }) => status === 409)];
    expect((await loser?.get("/page.js"))?.status).toBe(401);
  });

  test.each([
    [{ name: "ana", password: "short", again: "short" }, "at least 12 characters"],
    [{ name: "ana", password: PASSWORD, again: "another one" }, "passwords differ"],
    [{ name: "an a", password: PASSWORD, again: PASSWORD }, "A name is at most 32"],
    [{ name: "local", password: PASSWORD, again: PASSWORD }, "is reserved"],
    [{ name: "ana", password: "aaaaaaaaaaaaaaaa", again: "aaaaaaaaaaaaaaaa" }, "the same few characters"],
  ])("is refused beside the form field for the input %o", async (fields, words) => {
    const { browser, link, store } = await opened();
    const mine = browser();
    await mine.get(link());
    const answer = await mine.submit("/setup", fields);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(words);
    expect(answer.body).toContain(`value="${fields.name}"`);
    expect(await store.tables(accountReads).any()).toBe(false);
  });

  test("must be created within ten minutes of opening the setup link", async () => {
    const { browser, link, clock } = await opened();
    const mine = browser();
    await mine.get(link());
    clock.set(clock.now() + 601_000);
    expect((await mine.get("/setup")).status).toBe(401);
  });

  test("can be created at another replica than the one that served the setup link", async () => {
    const store = await emptied();
    const url = "https://deckhand.example.com";
    const [here, there] = [await loginWorld({ store, url }), await loginWorld({ store, url })];
    const [mine, mineThere] = [here.browser(), there.browser()];
    await mine.get(here.link());
    for (const [name, value] of mine.cookies) mineThere.cookies.set(name, value);
    const made = await mineThere.submit("/setup", { name: "ana", password: PASSWORD, again: PASSWORD });
    expect(made).toMatchObject({ status: 303, headers: { location: "/" } });
  });

  test("cannot be created with a device cookie in place of the setup cookie", async () => {
    const { browser, link, port } = await withAna();
    const mine = browser();
    await mine.get(link());
    const device = mine.cookies.get(`deckhand_${port}_device`) ?? "";
    const { browser: stranger, port: other } = await loginWorld({ store: await emptied() });
    expect(device).not.toBe("");
    const guest = stranger();
    guest.cookies.set(`deckhand_${other}_setup`, device);
    expect((await guest.get("/setup")).status).toBe(401);
  });
});

describe("signing in", () => {
  test("with name and password opens the page and its WebSocket, which know the account", async () => {
    const { browser } = await withAna();
    const ana = browser();
    expect(await ana.get("/")).toMatchObject({ status: 303, headers: { location: "/login" } });
    expect(await ana.signIn(" Ana ")).toMatchObject({ status: 303, headers: { location: "/" } });
    expect((await ana.get("/")).status).toBe(200);
    const socket = await ana.open();
    if (typeof socket === "number") throw new Error(`refused with ${socket}`);
    expect(await socket.next("you")).toMatchObject({ name: "ana", role: "operator", personId: "web:ana" });
  });

  test("with a wrong password gives the same message as for an unknown name", async () => {
    const { browser } = await withAna();
    const [known, unknown] = [await browser().signIn("ana", "not the password"), await browser().signIn("bob")];
    for (const answer of [known, unknown]) {
      expect(answer.status).toBe(401);
      expect(answer.body).toContain("Wrong name or password.");
    }
    const plain = (body: string) => body.replaceAll(/value="[^"]*"/gu, "");
    expect(plain(known.body)).toBe(plain(unknown.body));
  });

  test("the database stores neither passwords nor session tokens in clear", async () => {
    const { browser, store } = await withAna();
    const ana = browser();
    await ana.signIn("ana");
    const token = [...ana.cookies].find(([name]) => name.endsWith("login"))?.[1] ?? "";
    expect(token).toMatch(/^[\w-]{43}$/u);
    const kept = JSON.stringify(
      await store.tables(async (db) => [await db.account.findMany(), await db.loginSession.findMany()]),
    );
    expect(kept).toContain("argon2id$");
    for (const word of [PASSWORD, token]) expect(kept).not.toContain(word);
  });

  test("signing out ends the session, also for a stolen cookie, and closes open sockets", async () => {
    const { browser } = await withAna();
    const [ana, thief] = [browser(), browser()];
    await ana.signIn("ana");
    for (const [name, value] of ana.cookies) thief.cookies.set(name, value);
    expect((await thief.get("/")).status).toBe(200);
    const socket = await ana.open();
    if (typeof socket === "number") throw new Error(`refused with ${socket}`);
    const { changeToken } = await socket.next("you");
    const closed = socket.closed();
    const left = await ana.post("/logout", {}, { "x-deckhand-change": changeToken });
    expect(left.status).toBe(204);
    expect(await closed).toBe(4401);
    expect(await thief.get("/")).toMatchObject({ status: 303, headers: { location: "/login" } });
    expect((await thief.get("/page.js")).status).toBe(401);
    expect(await thief.open()).toBe(401);
  });

  test("a session ends when it is idle, and after its maximum age even if it is used", async () => {
    const { browser, clock } = await withAna();
    const ana = browser();
    await ana.signIn("ana");
    for (let passed = 0; passed + LIMITS.idleMs / 2 < LIMITS.longestMs; passed += LIMITS.idleMs / 2) {
      expect((await ana.get("/")).status).toBe(200);
      clock.set(clock.now() + LIMITS.idleMs / 2);
    }
    expect((await ana.get("/")).status).toBe(200);
    clock.set(clock.now() + LIMITS.idleMs / 2);
    expect((await ana.get("/")).status).toBe(303);
    await ana.signIn("ana");
    clock.set(clock.now() + LIMITS.idleMs);
    expect((await ana.get("/")).status).toBe(303);
  });

  test("a page's automatic requests do not keep a session alive", async () => {
    const { browser, clock } = await withAna();
    const ana = browser();
    await ana.signIn("ana");
    clock.set(clock.now() + LIMITS.idleMs - 60_000);
    expect((await ana.get("/session")).status).toBe(200);
    const socket = await ana.open();
    if (typeof socket === "number") throw new Error(`refused with ${socket}`);
    socket.say({ type: "look", threadId: null, jobId: null });
    await socket.next("overview");
    clock.set(clock.now() + 60_000);
    expect((await ana.get("/session")).status).toBe(401);
  });

  test("an open page receives nothing more once its session was ended elsewhere", async () => {
    const { browser, clock, store } = await withAna();
    const ana = browser();
    await ana.signIn("ana");
    const [idle, busy] = [await ana.open(), await ana.open()];
    if (typeof idle === "number" || typeof busy === "number") throw new Error("refused");
    const world = { store, clock, hashing: HASHING, password: () => Promise.resolve("a quite different one") };
    await changeAccounts({ type: "passwd", name: "ana" }, world);
    const closed = Promise.all([idle.closed(), busy.closed()]);
    busy.say({ type: "hello", seq: null });
    expect(await closed).toEqual([4401, 4401]);
    expect(busy.frames.map(({ type }) => type)).not.toContain("welcome");
    expect((await ana.signIn("ana")).status).toBe(401);
    expect((await ana.signIn("ana", "a quite different one")).status).toBe(303);
  });

  test("an idle open page is closed by a timer, without any request", async () => {
    const { browser, clock, store } = await withAna();
    const ana = browser();
    await ana.signIn("ana");
    const idle = await ana.open();
    if (typeof idle === "number") throw new Error("refused");
    await idle.next("you");
    await changeAccounts({ type: "logout", name: "ana" }, { store, clock, password: () => Promise.resolve("") });
    const closed = idle.closed();
    await clock.advance(15_000);
    expect(await closed).toBe(4401);
  });
});

describe("behind a proxy with TLS", () => {
  const url = "https://deckhand.example.com";

  test.each([
    ["that keeps the host", {}, {}],
    [
      "that is trusted",
      { trustProxy: ["127.0.0.1"] },
      { host: "127.0.0.1", "x-forwarded-host": "deckhand.example.com", "x-forwarded-for": "198.51.100.1" },
    ],
  ])(
    "with a proxy %s, cookies have the __Host- prefix and are sent over TLS only",
    async (_case, settings, headers) => {
      const world = await loginWorld({ store: await emptied(), url, ...settings });
      await world.addAccount("ana");
      const answer = await world.browser().signIn("ana", PASSWORD, headers);
      expect(answer.status).toBe(303);
      const cookies = [answer.headers["set-cookie"] ?? []].flat().filter((line) => !line.includes("Max-Age=0"));
      expect(cookies.length).toBeGreaterThan(0);
      for (const line of cookies)
        expect(line).toMatch(/^__Host-deckhand-\w+=[^;]+; HttpOnly; SameSite=\w+; Path=\/; .*Secure$/u);
      expect(cookies.some((line) => line.startsWith("__Host-deckhand-login=") && line.includes("SameSite=Lax"))).toBe(
        true,
      );
    },
  );

  test("the page is served under its name also if the Host header includes the port of TLS", async () => {
    const { browser } = await loginWorld({ store: await emptied(), url, trustProxy: ["127.0.0.1"] });
    for (const headers of [
      { host: "deckhand.example.com:443" },
      { host: "127.0.0.1", "x-forwarded-host": "deckhand.example.com:443" },
    ])
      expect((await browser().get("/setup", headers)).status).toBe(401);
  });

  test.each([
    ["changes its name", { host: "127.0.0.1:3000", origin: url }, "must keep the <code>Host</code> header"],
    ["takes the origin away", {}, "must pass that header on"],
    ["has browsers keep it to themselves", { origin: "null" }, "<code>Referrer-Policy</code> unchanged"],
    ["is not asked by TLS", { origin: "http://deckhand.example.com" }, "Open the page's https:// address"],
  ])("a person is shown the cause where a proxy %s", async (_case, headers, words) => {
    const { browser } = await loginWorld({ store: await emptied(), url });
    const answer = await browser().ask("POST", "/login", { headers });
    expect(answer.headers["content-type"]).toContain("text/html");
    expect(answer.body).toContain(words);
  });

  test.each([
    ["the server's own address", (port: number) => `127.0.0.1:${port}`],
    ["another name", () => "evil.example.com"],
    ["a name beneath it", () => "x.deckhand.example.com"],
    ["its name with a port", (port: number) => `deckhand.example.com:${port}`],
  ])("the page is not served under %s", async (_case, host) => {
    const { browser, port } = await loginWorld({ store: await emptied(), url });
    expect((await browser().get("/login", { host: host(port) })).status).toBe(421);
  });

  test("an Upgrade header for another protocol is ignored", async () => {
    const { browser, port } = await loginWorld({ store: await emptied(), url });
    const offer = {
      connection: "Upgrade, HTTP2-Settings",
      upgrade: "h2c",
      "http2-settings": "AAMAAABkAAQAoAAAAAIAAAAA",
    };
    expect((await browser().get("/healthz", { host: `127.0.0.1:${port}`, ...offer })).status).toBe(200);
    expect((await browser().get("/setup", offer)).status).toBe(401);
  });

  test("health probes are answered under IP addresses and the configured name, not under other names", async () => {
    const { browser, port } = await loginWorld({ store: await emptied(), url });
    const probe = async (host: string) => (await browser().get("/healthz", { host })).status;
    expect(await probe(`10.1.2.3:${port}`)).toBe(200);
    expect(await probe(`[::1]:${port}`)).toBe(200);
    expect(await probe("deckhand.example.com")).toBe(200);
    expect(await probe(`evil.example.com:${port}`)).toBe(421);
  });

  test("forwarded host and client address are used only from a trusted proxy", async () => {
    const trusting = await loginWorld({ store: await emptied(), url, trustProxy: ["127.0.0.0/8"] });
    const wary = await loginWorld({ store: await emptied(), url });
    const headers = { host: "127.0.0.1", "x-forwarded-host": "deckhand.example.com" };
    expect((await trusting.browser().get("/setup", headers)).status).toBe(401);
    expect((await wary.browser().get("/setup", headers)).status).toBe(421);
    for (const [world, last] of [
      [trusting, 401],
      [wary, 429],
    ] as const) {
      await world.addAccount("ana");
      let status = 0;
      for (let at = 1; at <= 6; at += 1)
        ({ status } = await world.browser().signIn("ana", "wrong password", { "x-forwarded-for": `198.51.100.${at}` }));
      expect(status).toBe(last);
    }
  });
});
