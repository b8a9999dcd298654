import { describe, expect, onTestFinished, test } from "vitest";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { accountWriter } from "../../../src/features/accounts/account-writer.ts";
import { createLogins } from "../../../src/features/accounts/accounts.ts";
import { changeAccounts } from "../../../src/features/accounts/command-line.ts";
import { accountReads } from "../../../src/features/accounts/store.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { useEmptiedFiles, useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { startOwnPostgres } from "../../support/database/postgres.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { HASHING, LIMITS, loginWorld, PASSWORD } from "./login-world.ts";

describe.each([
  ["SQLite", useEmptiedFiles()],
  ["PostgreSQL", useEmptiedPostgres()],
])("on %s", (_name, emptied) => {
  test("an account can be created, signed in, linked, given a new password, and removed with all its data", async () => {
    const runtime = systemRuntime();
    const clock = new ManualClock();
    const { store } = await emptied();
    const logins = createLogins(
      {
        store,
        runtime: { ...runtime, clock },
        log: silentLog,
        audit: async () => {},
        cluster: onlyProcess({ clock, log: silentLog }),
      },
      { ...LIMITS, hashing: HASHING },
    );
    expect(await logins.hasAccounts()).toBe(false);
    const founded = await Promise.all(["ana", "bob"].map((name) => logins.createFirst({ name, password: PASSWORD })));
    expect(founded.map(({ type }) => type)).toEqual(["signed_in", "taken"]);
    const attempt = { name: "ana", password: PASSWORD, address: "127.0.0.1", device: null };
    const tokens = [];
    for (let browser = 0; browser < 21; browser += 1) {
      clock.set(clock.now() + 1);
      const outcome = await logins.signIn(attempt);
      tokens.push(outcome.type === "signed_in" ? outcome.token : "");
    }
    // The oldest sign-in is ended.
    expect(await logins.signedIn(tokens[0] ?? "", false)).toBeNull();
    expect(await logins.signedIn(tokens[1] ?? "", false)).toMatchObject({ name: "ana", role: "admin" });

    const write = accountWriter(store);
    const link = { personId: "slack:U1", personName: "Ana", accountName: "ana" };
    await write((accounts) => accounts.addLink(link, clock.now()));
    await write((accounts) => accounts.addLink(link, clock.now()));
    expect(await logins.personOf("web:ana")).toMatchObject({ id: "web:ana", roles: ["slack:U1"] });
    expect(await logins.personOf("slack:U1")).toBeNull();

    await run(store, clock, { type: "passwd", name: "ana" });
    expect(await logins.signedIn(tokens[20] ?? "", false)).toBeNull();
    expect(await logins.signIn(attempt)).toEqual({ type: "wrong" });
    const again = await logins.signIn({ ...attempt, password: "another one of these" });
    await run(store, clock, { type: "remove", name: "ana" });
    expect(again.type === "signed_in" && (await logins.signedIn(again.token, false))).toBeNull();
    expect(await store.tables(accountReads).link("slack:U1")).toBeNull();
    expect(await store.tables(accountReads).sessionCounts()).toEqual(new Map());
  });

  test("login attempts are counted across restarts, and their rows are deleted once they expire", async () => {
    const runtime = systemRuntime();
    const clock = new ManualClock();
    const { store } = await emptied();
    const audit = () => Promise.resolve();
    const cluster = onlyProcess({ clock, log: silentLog });
    const started = () =>
      createLogins(
        { store, runtime: { ...runtime, clock }, log: silentLog, audit, cluster },
        { ...LIMITS, hashing: HASHING },
      );
    await started().createFirst({ name: "ana", password: PASSWORD });
    const rows = () => store.tables((db) => db.loginAttempt.count());
    const guess = (name: string, password: string, logins = started()) =>
      logins.signIn({ name, password, address: "198.51.100.7", device: null });
    // A correct password does not count as a guess.
    for (let tries = 0; tries < 6; tries += 1) expect((await guess("ana", PASSWORD)).type).toBe("signed_in");
    const logins = started();
    for (let tries = 0; tries < 4; tries += 1) expect(await guess("ana", "wrong")).toEqual({ type: "wrong" });
    const guesses = Array.from({ length: 4 }, () => guess("ana", "wrong", logins));
    expect((await Promise.all(guesses)).filter(({ type }) => type === "wrong")).toHaveLength(1);
    expect(await guess("ana", PASSWORD)).toEqual({ type: "wait", seconds: 900 });
    expect(await rows()).toBe(3);
    clock.set(clock.now() + 900_000);
    expect(await guess("bob", "wrong")).toEqual({ type: "wrong" });
    expect(await rows()).toBe(3);
    expect((await guess("ana", PASSWORD)).type).toBe("signed_in");
  });

  test("a link code is valid once, for its account, for ten minutes, and only the newest one", async () => {
    const { store } = await emptied();
    const write = accountWriter(store);
    const put = (hash: string, now: number) =>
      write((accounts) => accounts.putCode("ana", hash, { now, until: now + 600_000 }));
    const take = (name: string, hash: string, now: number) => write((accounts) => accounts.takeCode(name, hash, now));
    await put("one", 1_000);
    await put("two", 2_000);
    expect(await take("ana", "one", 3_000)).toBe(false);
    expect(await take("bob", "two", 3_000)).toBe(false);
    const taken = await Promise.all([1, 2].map(() => take("ana", "two", 3_000)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    await put("three", 4_000);
    expect(await take("ana", "three", 604_000)).toBe(false);
    await write((accounts) => accounts.putCode("bob", "four", { now: 604_000, until: 605_000 }));
    expect(await store.tables((db) => db.linkCode.count())).toBe(1);
  });
});

async function run(store: Store, clock: ManualClock, request: Parameters<typeof changeAccounts>[0]): Promise<void> {
  const password = () => Promise.resolve("another one of these");
  expect(await changeAccounts(request, { store, clock, password, hashing: HASHING })).toMatchObject({ ok: true });
}

test("while the database is unavailable every address responds with an error that says so", async () => {
  const server = await startOwnPostgres();
  const store = await openStore(await server.createDatabase(), systemRuntime());
  onTestFinished(() => store.close());
  const world = await loginWorld({ store });
  await world.addAccount("ana", "admin");
  const browser = world.browser();
  await browser.signIn("ana");
  expect((await browser.get("/session")).status).toBe(200);
  await server.stop();
  const line = "The database does not answer. Try again in a moment.";
  for (const path of ["/session", "/sessions/list", "/features/audit/list"])
    expect(await browser.get(path), path).toMatchObject({ status: 503, body: JSON.stringify({ error: line }) });
});
