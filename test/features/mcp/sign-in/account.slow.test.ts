import { chmodSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { typedLines } from "../../../../src/cli/standard-input.ts";
import type { McpUrlServer } from "../../../../src/features/mcp/server-settings.ts";
import { discover } from "../../../../src/features/mcp/sign-in/discovery.ts";
import { createGuardedFetch } from "../../../../src/features/mcp/sign-in/guarded-fetch.ts";
import { signInFromTerminal } from "../../../../src/features/mcp/sign-in/in-terminal.ts";
import { createAccessTo } from "../../../../src/features/mcp/sign-in/sign-ins.ts";
import { openRow } from "../../../../src/features/mcp/sign-in/signed-in.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { createSystemResolve } from "../../../../src/tools/network/resolve.ts";
import { startPostgres } from "../../../support/database/postgres.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { runCli } from "../../../support/program/cli.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { textIn } from "../connected.ts";
import { guardedServer, inBrowser, STATIC } from "./authority.ts";
import { connected, type Place, place, rowsOf, signedIn, WANTS } from "./command.ts";

/** How the account's access is renewed, refused and given up. */

test("tokens never appear in clear text in the database, in messages or in the audit log", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { call } = await connected(at);
  expect(textIn(await call("mcp__web__go"))).toBe("done");
  const [token = ""] = server.tokens;
  expect(token.length).toBeGreaterThan(20);
  expect(JSON.stringify(await rowsOf(at))).not.toContain(token);
  server.refuse(true);
  const failed = textIn(await call("mcp__web__go"));
  expect(failed).toContain(
    "it refuses the sign-in; an admin must sign in again on the web page, or run `deckhand mcp sign-in web`",
  );
  expect(failed).not.toContain(token);
});

const DATABASES = {
  SQLite: () => Promise.resolve(undefined),
  PostgreSQL: async () => {
    const postgres = await startPostgres();
    onTestFinished(async () => {
      await postgres.stop();
    });
    return postgres.createDatabase();
  },
};

test.each(Object.entries(DATABASES))(
  "two processes on %s that need a new token at once renew it once",
  async (_, open) => {
    const server = await guardedServer();
    const at = await place(server.settings, await open());
    await signedIn(at);
    const [one, two] = [await connected(at), await connected(at)];
    const codes = server.authority.codes();
    server.expire();
    const calls = [one, two, one, two].map(({ call }) => call("mcp__web__go"));
    expect((await Promise.all(calls)).map(textIn)).toEqual(Array(4).fill("done"));
    expect(server.authority.codes()).toBe(codes + 1);
    expect(await rowsOf(at)).toMatchObject([{ refusedAt: null }]);
  },
);

test("a sign-in is copied with the database to PostgreSQL", async () => {
  const server = await guardedServer();
  const before = await place(server.settings);
  await signedIn(before);
  const url = await DATABASES.PostgreSQL();
  const { out, error } = await runCli(["data", "copy"], { cwd: before.home, env: { DATABASE_URL: url } });
  expect({ out, error }).toEqual({ out: expect.stringContaining("✓ McpSignIn · 1\n"), error: "" });
  const at = await place(server.settings, url, before.home);
  const { call } = await connected(at);
  server.expire();
  expect(textIn(await call("mcp__web__go"))).toBe("done");
  expect((await at.mcp("list")).out).toMatch(/^web · signed in by command line .*, renewed/u);
});

test("servers that connect at the start share one query for their sign-ins", async () => {
  const { store, home } = await place({ url: "http://127.0.0.1:9/mcp" });
  let reads = 0;
  const counting: typeof store = {
    ...store,
    tables: (of) => {
      reads += 1;
      return store.tables(of);
    },
  };
  const { clock } = systemRuntime();
  const reach = { resolve: createSystemResolve() };
  const vault = { store: counting, home, given: null };
  const accessTo = createAccessTo({ vault, reach, clock, replaceSecrets: () => {} });
  const names = ["a", "b", "c"];
  for (const name of names) {
    expect(await accessTo(name, { url: `http://127.0.0.1:9/${name}` }, silentLog)?.token()).toBeNull();
  }
  expect(reads).toBe(1);
});

test("new tokens are used and kept while the database rejects writes, and stored once it accepts them again", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { clock } = systemRuntime();
  const quick = { ...clock, sleep: (ms: number, signal: AbortSignal) => clock.sleep(Math.min(ms, 50), signal) };
  const { call } = await connected(at, { clock: quick });
  const before = await rowsOf(at);
  using away = refuseRenewals(at);
  server.expire();
  expect(textIn(await call("mcp__web__go"))).toBe("done");
  expect(textIn(await call("mcp__web__go"))).toBe("done");
  expect(await rowsOf(at)).toEqual(before);
  away.end();
  await expect.poll(() => rowsOf(at)).not.toEqual(before);
  server.expire();
  const other = await connected(at);
  expect(textIn(await other.call("mcp__web__go"))).toBe("done");
});

/** Makes the database fail whenever new tokens are to be stored. */
function refuseRenewals({ home }: Pick<Place, "home">) {
  const database = new Database(path.join(home, "data/deckhand.db"));
  database.exec(
    `CREATE TRIGGER away BEFORE UPDATE OF sealed ON "McpSignIn" BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
  );
  const end = () => void database.exec("DROP TRIGGER IF EXISTS away");
  return {
    end,
    [Symbol.dispose]: () => {
      end();
      database.close();
    },
  };
}

test("an unreadable database is named as the reason, not the server", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { mcp, call } = await connected(at);
  const database = new Database(path.join(at.home, "data/deckhand.db"));
  onTestFinished(() => void database.close());
  database.exec('ALTER TABLE "McpSignIn" RENAME TO "Away"');
  server.expire();
  expect(textIn(await call("mcp__web__go"))).toContain("its sign-in cannot be read from the database at the moment");
  database.exec('ALTER TABLE "Away" RENAME TO "McpSignIn"');
  await mcp.connection("web")?.reconnect();
  expect(mcp.problems()).toEqual([]);
  expect(textIn(await call("mcp__web__go"))).toBe("done");
});

test("tokens encrypted with another key are reported, and a problem with the key is reported before anyone signs in", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const file = path.join(at.home, "data/keys/secret.key");
  writeFileSync(file, Buffer.alloc(32, 7).toString("base64"));
  const { mcp } = at.program();
  await mcp.settled();
  const why =
    "its sign-in cannot be read. It was encrypted with another DECKHAND_SECRET_KEY or secret.key: restore that key.";
  expect(mcp.problems()).toEqual([
    `web is not connected: ${why} To sign in again, an admin uses the web page, or runs \`deckhand mcp sign-in web\`.`,
  ]);
  expect((await at.mcp("list")).out).toBe(`web · ${why} To sign in again: \`deckhand mcp sign-in web\``);
  chmodSync(file, 0o644);
  expect((await at.mcp("sign-in", "web")).error).toBe(`✗ ${file} is open to others (mode 644). Run: chmod 600 ${file}`);
  rmSync(file);
  await signedIn(at);
  await expect.poll(() => mcp.problems()).toEqual([]);
});

test("a sign-in that the service no longer renews has ended, and a new one works without a restart", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { mcp, call } = await connected(at);
  const [row] = await rowsOf(at);
  const { signIn } = await openedRow(at, server.settings);
  await fetch(signIn.provider.revocation_endpoint ?? "", {
    method: "POST",
    body: new URLSearchParams({ token: signIn.refreshToken ?? "", client_id: signIn.client.client_id }),
  });
  server.expire();
  const ended = "its sign-in has ended; an admin must sign in again on the web page, or run `deckhand mcp sign-in web`";
  expect(textIn(await call("mcp__web__go"))).toContain(ended);
  expect(mcp.problems()).toEqual([`web is not connected: ${ended}.`]);
  expect(await rowsOf(at)).toEqual([{ ...row, refusedAt: expect.any(Number) }]);
  expect((await at.mcp("list")).out).toBe("web · its sign-in has ended: `deckhand mcp sign-in web`");
  const refusals = server.refusals();
  expect(textIn(await call("mcp__web__go"))).toContain(ended);
  expect(server.refusals()).toBe(refusals);

  await signedIn(at);
  await expect.poll(() => mcp.problems()).toEqual([]);
  expect(textIn(await call("mcp__web__go"))).toBe("done");
});

async function openedRow(at: Place, settings: McpUrlServer) {
  const [row] = await rowsOf(at);
  const kept = await openRow(
    row,
    { server: "web", settings },
    { store: at.store, home: `${at.home}/data`, given: null },
  );
  if (kept.type !== "open") throw new Error(`it is ${kept.type}`);
  return kept;
}

test("a sign-out revokes the tokens, ends a running program's connection, and leaves nothing behind", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { mcp, call } = await connected(at);
  expect(await at.mcp("sign-out", "web")).toMatchObject({
    failed: false,
    out: "✓ Deckhand is signed out of web, and the service has revoked the sign-in.",
  });
  expect(await rowsOf(at)).toEqual([]);
  await expect.poll(() => mcp.problems()).toEqual([WANTS]);
  expect(textIn(await call("mcp__web__go"))).toContain(WANTS);
  expect(await at.mcp("sign-out", "web")).toMatchObject({
    failed: true,
    error: expect.stringContaining("Nobody has signed in to web."),
  });
});

test("for a service without registration the message says what to configure, and a client registered by hand works", async () => {
  const server = await guardedServer({ registers: false });
  const at = await place(server.settings);
  expect((await at.mcp("sign-in", "web")).error).toMatch(
    /^✗ localhost:\d+ does not let programs register themselves\. .*`oauth: \{ "clientId": "…" \}`/u,
  );
  const redirectUri = "https://example.com/signed-in";
  const oauth = { ...server.settings.oauth, clientId: STATIC.id, clientSecret: STATIC.secret, redirectUri };
  at.set({ ...server.settings, oauth });
  const { address, paste, ended } = await at.signIn();
  paste(await inBrowser(address));
  expect(await ended).toMatchObject({ failed: false });
  const { call } = await connected(at);
  server.expire();
  expect(textIn(await call("mcp__web__go"))).toBe("done");
});

test("doctor tests the server with the account, and says what an operator must do", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  expect((await at.doctor()).out).toContain(`✗ MCP server ${WANTS}`);
  await signedIn(at);
  expect((await at.doctor()).out).toContain("✓ MCP server web: 1 tool");
});

test("a server whose entry says sse needs the sign-in as well", async () => {
  const server = await guardedServer();
  const at = await place({ ...server.settings, type: "sse" });
  const { mcp, call } = at.program();
  await mcp.settled();
  expect(mcp.problems()).toEqual([WANTS]);
  await signedIn(at);
  await expect.poll(() => mcp.problems()).toEqual([]);
  expect(textIn(await call("mcp__web__go"))).toBe("done");
});

test("a server that mentions no sign-in may still need a token, and one that an account may not use says so", async () => {
  const server = await guardedServer({ challenge: () => undefined });
  const at = await place(server.settings);
  const { mcp, call } = at.program();
  await mcp.settled();
  expect(mcp.problems()).toEqual([
    "web is not connected: it refuses our credentials (HTTP 401: not); an operator must give it a token in its `headers`, or sign in on the web page, or run `deckhand mcp sign-in web`.",
  ]);
  await signedIn(at);
  await expect.poll(() => mcp.problems()).toEqual([]);
  server.forbid('Bearer error="insufficient_scope", scope="write"');
  expect(textIn(await call("mcp__web__go"))).toContain(
    "the account that signed in may not do this: its sign-in lacks the scope write; an operator must add it to `oauth.scope`",
  );
  server.forbid(null);
  await expect.poll(async () => textIn(await call("mcp__web__go"))).toBe("done");
});

test("a person who does not sign in within ten minutes is told, and nothing is kept", async () => {
  const server = await guardedServer();
  const clock = new ManualClock();
  const { settings } = server;
  const guarded = createGuardedFetch(settings, { resolve: createSystemResolve() }, new AbortController().signal);
  const found = await discover(settings, { title: "web", guarded }, new AbortController().signal);
  const shown = Promise.withResolvers<void>();
  const say = (line: string) => line.includes("Ctrl-C") && shown.resolve();
  const lines = (signal: AbortSignal) => typedLines(new PassThrough(), signal);
  const signingIn = signInFromTerminal(found, { title: "web", settings, guarded, clock, say, lines });
  const ended = expect(signingIn).rejects.toMatchObject({
    text: "Nobody signed in within 10 minutes. Nothing was changed.",
  });
  await shown.promise;
  await clock.advance(600_000);
  await ended;
});
