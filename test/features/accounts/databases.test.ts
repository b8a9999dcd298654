import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { accountWriter, createLogins } from "../../../src/features/accounts/accounts.ts";
import { changeAccounts } from "../../../src/features/accounts/command-line.ts";
import { accountReads } from "../../../src/features/accounts/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { LIMITS, PASSWORD } from "./login-world.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

describe.each([
  ["SQLite", () => Promise.resolve(`file:${tempDirectory()}/deckhand.db`)],
  ["PostgreSQL", () => postgres.createDatabase()],
])("on %s", (_name, url) => {
  test("an account's life: made, signed in, linked, another password, removed with all that was its own", async () => {
    const runtime = systemRuntime();
    const clock = new ManualClock();
    const store = await openStore(await url(), runtime);
    onTestFinished(() => store.close());
    const logins = createLogins(
      { store, runtime: { ...runtime, clock }, log: silentLog, audit: async () => {} },
      LIMITS,
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
    // The oldest gives way.
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
});

async function run(store: Store, clock: ManualClock, request: Parameters<typeof changeAccounts>[0]): Promise<void> {
  const password = () => Promise.resolve("another one of these");
  expect(await changeAccounts(request, { store, clock, password })).toMatchObject({ ok: true });
}
