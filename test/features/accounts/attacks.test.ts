import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ClientFrame } from "../../../src/adapters/web/wire.ts";
import { accountWriter } from "../../../src/features/accounts/account-writer.ts";
import { createLogins } from "../../../src/features/accounts/accounts.ts";
import { changeAccounts } from "../../../src/features/accounts/command-line.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { useEmptiedDatabases } from "../../support/database/emptied-databases.ts";
import { silentLog } from "../../support/silent-log.ts";
import { type Browser, LIMITS, type LoginWorld, loginWorld, PASSWORD, type Socket } from "./login-world.ts";

const emptied = useEmptiedDatabases();
const BYTES = { "content-type": "application/octet-stream" };
const UPLOAD = "/files?name=a.txt&type=text/plain";

async function withAna(options: Partial<Parameters<typeof loginWorld>[0]> = {}): Promise<LoginWorld> {
  const world = await loginWorld({ store: await emptied(), ...options });
  await world.addAccount("ana");
  return world;
}

async function opened(browser: Browser): Promise<Socket> {
  const socket = await browser.open();
  if (typeof socket === "number") throw new Error(`refused with ${socket}`);
  return socket;
}

async function signedIn(world: LoginWorld, name: string): Promise<{ browser: Browser; changeToken: string }> {
  const browser = world.browser();
  expect((await browser.signIn(name)).status).toBe(303);
  const { changeToken } = await (await opened(browser)).next("you");
  return { browser, changeToken };
}

const isIn = async (browser: Browser) => (await browser.get("/session")).status === 200;

describe("a cross-site request", () => {
  test.each([
    ["an empty origin", { origin: "" }],
    ["a hidden origin", { origin: "null" }],
    ["another site's origin", { origin: "https://evil.example" }],
    ["another port's origin", { origin: "http://127.0.0.1:1" }],
  ])("cannot sign anybody in by a form with %s", async (_case, headers) => {
    const world = await withAna();
    const ana = world.browser();
    const token = /name="token" value="([^"]+)"/u.exec((await ana.get("/login")).body)?.[1] ?? "";
    const fields = { token, name: "ana", password: PASSWORD };
    const answer = await ana.post("/login", fields, headers);
    expect(answer.status).toBe(403);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect((await ana.post("/login", fields)).status).toBe(303);
  });

  test("cannot sign anybody in with a form token issued to another browser", async () => {
    const world = await withAna();
    const [victim, attacker] = [world.browser(), world.browser()];
    await victim.get("/login");
    const page = await attacker.get("/login");
    const token = /name="token" value="([^"]+)"/u.exec(page.body)?.[1] ?? "";
    const answer = await victim.post("/login", { token, name: "ana", password: PASSWORD });
    expect(answer.status).toBe(403);
    expect(await isIn(victim)).toBe(false);
    expect((await attacker.post("/login", { token, name: "ana", password: PASSWORD })).status).toBe(303);
  });

  test("cannot change anything with a stolen session cookie, because the change token is missing", async () => {
    const world = await withAna();
    await world.addAccount("bob");
    const [{ browser, changeToken }, bob] = [await signedIn(world, "ana"), await signedIn(world, "bob")];
    const upload = (headers: Record<string, string>) =>
      browser.ask("POST", UPLOAD, { headers: { ...BYTES, origin: world.origin, ...headers }, body: "x" });
    expect((await upload({})).status).toBe(403);
    expect((await upload({ "x-deckhand-change": bob.changeToken })).status).toBe(403);
    expect((await upload({ "x-deckhand-change": changeToken, origin: "https://evil.example" })).status).toBe(403);
    expect((await browser.post("/logout", {})).status).toBe(403);
    expect(await isIn(browser)).toBe(true);
    expect((await upload({ "x-deckhand-change": changeToken })).status).toBe(201);
    expect(await browser.open({ origin: "https://evil.example" })).toBe(403);
  });

  test.each(["evil.example", "localhost.evil.example", "deckhand.local"])(
    "is refused when the host name %s resolves to this server (DNS rebinding)",
    async (name) => {
      const world = await withAna();
      const { browser } = await signedIn(world, "ana");
      const host = `${name}:${world.port}`;
      for (const path of ["/", "/login", "/setup", "/session", "/healthz", "/login.css"])
        expect((await browser.get(path, { host })).status, path).toBe(421);
      expect(await browser.open({ host, origin: `http://${host}` })).toBe(421);
    },
  );
});

describe("planted cookies", () => {
  test("the session is replaced at sign-in, so a session cookie planted before it is worthless (session fixation)", async () => {
    const world = await withAna();
    await world.addAccount("mallory");
    const name = `deckhand_${world.port}_login`;
    const { browser: mallory } = await signedIn(world, "mallory");
    const victim = world.browser();
    victim.cookies.set(name, mallory.cookies.get(name) ?? "");
    await victim.signIn("ana");
    expect(victim.cookies.get(name)).not.toBe(mallory.cookies.get(name));
    expect(await isIn(mallory)).toBe(false);
    expect(await isIn(victim)).toBe(true);

    const made = world.browser();
    made.cookies.set(name, "A".repeat(43));
    await made.signIn("ana");
    const planted = world.browser();
    planted.cookies.set(name, "A".repeat(43));
    expect(await isIn(planted)).toBe(false);
  });

  test("the loopback page key and the setup token are no session, and a forged device cookie lifts no throttle", async () => {
    const world = await withAna();
    const { searchParams } = new URL(world.link(), world.origin);
    const stranger = world.browser();
    stranger.cookies.set(`deckhand_${world.port}`, "a-token-for-tests-only");
    stranger.cookies.set(`deckhand_${world.port}_setup`, searchParams.get("token") ?? "");
    expect(await isIn(stranger)).toBe(false);
    for (let tries = 0; tries < 5; tries += 1) expect((await stranger.signIn("ana", "wrong")).status).toBe(401);
    const now = world.clock.now().toString(36);
    stranger.cookies.set(`deckhand_${world.port}_device`, `${now}.${"A".repeat(22)}.${"A".repeat(43)}`);
    expect((await stranger.signIn("ana")).status).toBe(429);
  });
});

describe("password guessing", () => {
  const from = (address: string) => ({ "x-forwarded-for": address });
  const trusting = { trustProxy: ["127.0.0.1"] };

  test("is throttled after five wrong passwords, also for the right one; other addresses are not, and the throttle expires", async () => {
    const world = await withAna(trusting);
    await world.addAccount("bob");
    const guess = (password: string, address = "198.51.100.7") =>
      world.browser().signIn("ana", password, from(address));
    for (let tries = 0; tries < 5; tries += 1) expect((await guess("wrong")).status).toBe(401);
    const refused = await guess(PASSWORD);
    expect(refused.status).toBe(429);
    expect(refused.body).toContain("Try again in 15 minutes");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await guess(PASSWORD, "198.51.100.8")).status).toBe(303);
    expect((await world.browser().signIn("bob", PASSWORD, from("198.51.100.7"))).status).toBe(303);
    world.clock.set(world.clock.now() + 900_000);
    expect((await guess(PASSWORD)).status).toBe(303);
  });

  test("gets no more than five attempts by concurrent requests", async () => {
    const world = await withAna(trusting);
    const browsers = Array.from({ length: 30 }, () => world.browser());
    const pages = browsers.map(async (browser) => browser.signIn("ana", "wrong", from("198.51.100.7")));
    const looked = (await Promise.all(pages)).filter(({ status }) => status === 401);
    expect(looked.length).toBeLessThanOrEqual(5);
  });

  test.each([
    ["with its port", (port: number) => `198.51.100.7:${port}`],
    ["of IPv6 with its port", (port: number) => `[2001:db8::7]:${port}`],
    ["behind another proxy with its port", (port: number) => `198.51.100.7:${port}, 10.0.0.7:${port}`],
  ])("counts all connections of one address together where a proxy names it %s", async (_case, named) => {
    const world = await withAna({ trustProxy: ["127.0.0.1", "10.0.0.0/8"] });
    const guess = (port: number) => world.browser().signIn("ana", "wrong", from(named(port)));
    for (let tries = 1; tries <= 5; tries += 1) expect((await guess(50_000 + tries)).status).toBe(401);
    expect((await guess(50_010)).status).toBe(429);
  });

  test("counts an IPv6 /64 network as one address", async () => {
    const world = await withAna(trusting);
    const guess = (address: string) => world.browser().signIn("ana", "wrong", from(address));
    for (let tries = 1; tries <= 5; tries += 1) expect((await guess(`2001:db8:1:2::${tries}`)).status).toBe(401);
    expect((await guess("2001:db8:1:2:ffff::1")).status).toBe(429);
    expect((await guess("2001:db8:1:3::1")).status).toBe(401);
  });

  test("is throttled per address across names, with one audit entry per name and throttle", async () => {
    const world = await withAna(trusting);
    const guess = (name: string) => world.browser().signIn(name, "wrong", from("198.51.100.7"));
    for (let tries = 0; tries < 20; tries += 1) expect((await guess(`name${tries}`)).status).toBe(401);
    expect((await guess("ana")).status).toBe(429);
    expect((await guess("another")).status).toBe(429);
    // The audit log has one entry, because requests must not be able to fill it.
    const throttled = () => world.store.tables((db) => db.auditEntry.findMany({ where: { act: "login.throttled" } }));
    expect(await throttled()).toMatchObject([{ by: "", about: "ana", details: "from 198.51.100.7" }]);
    await world.clock.advance(60_001);
    expect((await guess("another")).status).toBe(429);
    expect((await throttled()).map(({ about }) => about).toSorted()).toEqual(["an unknown name", "ana"]);
  });

  test("from many addresses locks out strangers, but not the owner's known browser or one with a setup link", async () => {
    const world = await withAna(trusting);
    const home = world.browser();
    await home.signIn("ana", PASSWORD, from("203.0.113.1"));
    home.cookies.delete(`deckhand_${world.port}_login`);
    for (let tries = 0; tries < 50; tries += 1) {
      const { status } = await world.browser().signIn("ana", "wrong", from(`198.51.100.${tries}`));
      expect(status).toBe(401);
    }
    expect((await world.browser().signIn("ana", PASSWORD, from("203.0.113.9"))).status).toBe(429);
    expect((await home.signIn("ana", PASSWORD, from("203.0.113.9"))).status).toBe(303);
    const vouched = world.browser();
    expect(await vouched.get(world.link())).toMatchObject({ status: 303, headers: { location: "/login" } });
    expect(await isIn(vouched)).toBe(false);
    expect((await vouched.signIn("ana", PASSWORD, from("203.0.113.9"))).status).toBe(303);
  });

  test("is throttled for a known browser as well", async () => {
    const world = await withAna();
    const thief = world.browser();
    await thief.signIn("ana");
    thief.cookies.delete(`deckhand_${world.port}_login`);
    for (let tries = 0; tries < 10; tries += 1) expect((await thief.signIn("ana", "wrong")).status).toBe(401);
    expect((await thief.signIn("ana")).status).toBe(429);
    expect((await world.browser().signIn("ana")).status).toBe(303);
  });

  test("reveals no account by timing: an unknown name costs the same hashing work", async () => {
    const world = await withAna();
    const logins = createLogins(
      {
        store: world.store,
        runtime: { ...systemRuntime(), clock: world.clock },
        log: silentLog,
        audit: async () => {},
        cluster: onlyProcess({ clock: world.clock, log: silentLog }),
      },
      LIMITS,
    );
    const identity = { issuer: "https://login.example.com", subject: "u-1" };
    await accountWriter(world.store)((accounts) =>
      accounts.create({ name: "olga", role: "viewer", passwordHash: "", createdAt: 0, identity }),
    );
    // Olga signs in at a provider and has no password.
    const times: Record<string, number[]> = { ana: [], olga: [], nobody: [], "no name": [] };
    for (let round = 0; round < 6; round += 1) {
      for (const [name, taken] of Object.entries(times)) {
        const address = `10.0.${round}.${taken.length}`;
        // Measures this process's CPU time, which excludes the work of other processes.
        const began = process.cpuUsage();
        expect(await logins.signIn({ name, password: "wrong", address, device: null })).toEqual({ type: "wrong" });
        const { user, system } = process.cpuUsage(began);
        taken.push(user + system);
      }
    }
    const quickest = Object.values(times).map((taken) => Math.min(...taken));
    expect(Math.max(...quickest) / Math.min(...quickest)).toBeLessThan(3);
  }, 60_000);
});

describe("a viewer", () => {
  const inbox = new Inbox();
  const frames: readonly ClientFrame[] = [
    { type: "send", clientId: randomUUID(), threadId: null, text: "run: rm -rf .", fileIds: [] },
    { type: "click", clickId: randomUUID(), messageId: "any", action: "approve:any" },
    { type: "command", clickId: randomUUID(), threadId: null, name: "mode", args: "agi" },
    { type: "command", clickId: randomUUID(), threadId: null, name: "link", args: "" },
    { type: "complete", threadId: null, text: "/agent " },
  ];

  test.each(frames)("is refused every WebSocket frame that changes something: $type", async (frame) => {
    const world = await loginWorld({ store: await emptied(), receive: inbox.receive });
    await world.addAccount("vera", "viewer");
    const { browser } = await signedIn(world, "vera");
    const socket = await opened(browser);
    socket.say(frame);
    socket.say({ type: "hello", seq: null });
    await socket.next("welcome");
    const [told] = socket.frames.filter(({ type }) => type === "failed" || type === "rejected");
    expect(told).toMatchObject({ reason: expect.stringContaining("may only read") });
    expect(inbox.events).toEqual([]);
  });

  test("is refused every POST to a feature's route, even if the route checks no role", async () => {
    let count = 0;
    const handle = async () => {
      count += 1;
      return { status: 200, body: {} };
    };
    const routes = new Map([["careless", [{ method: "POST" as const, path: "/change", handle }]]]);
    const world = await loginWorld({ store: await emptied(), receive: inbox.receive, routes });
    for (const [name, role] of Object.entries({ vera: "viewer", olga: "operator" })) await world.addAccount(name, role);
    const answers = [];
    for (const name of ["vera", "olga"]) {
      const { browser, changeToken } = await signedIn(world, name);
      const headers = {
        "content-type": "application/json",
        origin: world.origin,
        "x-deckhand-change": changeToken,
      };
      for (const path of ["/features/careless/change", "/features/nothing/change", "/anything"])
        answers.push((await browser.ask("POST", path, { headers, body: "{}" })).status);
    }
    expect(answers).toEqual([403, 403, 403, 200, 404, 404]);
    expect(count).toBe(1);
  });

  test("cannot upload files, and can once the role is changed to operator", async () => {
    const world = await loginWorld({ store: await emptied(), receive: inbox.receive });
    await world.addAccount("vera", "viewer");
    const { browser, changeToken } = await signedIn(world, "vera");
    const headers = { ...BYTES, origin: world.origin, "x-deckhand-change": changeToken };
    expect((await browser.ask("POST", UPLOAD, { headers, body: "x" })).status).toBe(403);
    const socket = await opened(browser);
    const { store, clock } = world;
    const password = () => Promise.resolve(null);
    await changeAccounts({ type: "role", name: "vera", role: "operator" }, { store, clock, password });
    expect((await browser.ask("POST", UPLOAD, { headers, body: "x" })).status).toBe(201);
    const clientId = randomUUID();
    socket.say({ type: "send", clientId, threadId: null, text: "hello", fileIds: [] });
    await socket.next("sent");
    // The page is told what it may offer now.
    await socket.next("you", ({ role }) => role === "operator");
    const [event] = inbox.events;
    expect(event).toMatchObject({ text: "hello", person: { id: "web:vera", name: "vera", roles: [] } });
    expect(event?.channel).toMatchObject({ id: "team", kind: "channel" });
  });
});

test("a display name that contains markup is shown as text", async () => {
  const world = await withAna();
  const answer = await world.browser().signIn(`"><script>alert(1)</script>`, "wrong");
  expect(answer.status).toBe(401);
  expect(answer.body).not.toContain("<script>");
  expect(answer.body).toContain("&lt;script&gt;");
});

test("an ephemeral message is sent only to the pages of its addressee", async () => {
  const world = await withAna();
  await world.addAccount("bob");
  const [ana, bob] = [await signedIn(world, "ana"), await signedIn(world, "bob")];
  const [hers, his] = [await opened(ana.browser), await opened(bob.browser)];
  for (const socket of [hers, his]) {
    socket.say({ type: "hello", seq: null });
    await socket.next("welcome");
  }
  const clientId = randomUUID();
  hers.say({ type: "send", clientId, threadId: null, text: "hello all", fileIds: [] });
  await his.next("message", ({ message }) => message.body.author?.name === "ana");
  const thread = { platform: "web", workspaceId: "local", channelId: "team", threadId: clientId };
  const note = { lane: "answer", markdown: "for ana alone", tone: "plain", buttons: [], files: [] } as const;
  await world.platform.postEphemeral(thread, "web:ana", note);
  await hers.next("message", ({ message }) => message.body.markdown === "for ana alone");
  his.say({ type: "open", threadId: clientId, before: null });
  const seen = await his.next("thread");
  expect(seen.messages?.map(({ body }) => body.markdown)).toEqual(["hello all"]);
  expect(JSON.stringify(his.frames)).not.toContain("for ana alone");
  his.say({ type: "hello", seq: 0 });
  const caught = await his.next("welcome", ({ changes }) => changes !== null);
  expect(JSON.stringify(caught)).not.toContain("for ana alone");
});

test("messages that a crash left unprocessed are attributed to their authors, and dropped if the account was removed", async () => {
  const world = await withAna();
  await world.addAccount("bob");
  for (const name of ["ana", "bob"]) {
    const socket = await opened((await signedIn(world, name)).browser);
    socket.say({ type: "send", clientId: randomUUID(), threadId: null, text: `by ${name}`, fileIds: [] });
    await socket.next("sent");
  }
  const { store, clock } = world;
  await changeAccounts({ type: "remove", name: "bob" }, { store, clock, password: () => Promise.resolve(null) });
  const missed = await world.platform.missed({ since: 0, known: [], signal: AbortSignal.any([]) });
  expect(missed).toEqual([
    expect.objectContaining({ text: "by ana", person: expect.objectContaining({ id: "web:ana" }) }),
  ]);
});
