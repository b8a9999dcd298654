import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { typedLines } from "../../../../src/cli/new-password.ts";
import type { McpUrlServer } from "../../../../src/features/mcp/server-settings.ts";
import { authorize } from "../../../../src/features/mcp/sign-in/authorize.ts";
import { discover } from "../../../../src/features/mcp/sign-in/discovery.ts";
import { createGuardedFetch } from "../../../../src/features/mcp/sign-in/guarded-fetch.ts";
import { openRow } from "../../../../src/features/mcp/sign-in/signed-in.ts";
import { signInReads } from "../../../../src/features/mcp/sign-in/store.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { createSystemResolve } from "../../../../src/tools/network/resolve.ts";
import { startPostgres } from "../../../support/database/postgres.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { type Connected, textIn, type World } from "../connected.ts";
import { httpServer } from "../http-server.ts";
import { guardedServer, inBrowser, STATIC } from "./authority.ts";
import { type Place, place } from "./command.ts";

const WANTS = "web is not connected: it wants a sign-in; an operator must run `deckhand mcp sign-in web`.";

test("a server that wants a sign-in says so once and is left alone, and connects as soon as somebody has signed in", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  const { mcp } = at.program();
  await mcp.settled();
  expect(mcp.problems()).toEqual([WANTS]);
  expect(mcp.serverStates()).toMatchObject([
    { line: expect.stringContaining("⚠ **web** is not connected"), nextAt: null },
  ]);
  const refusals = server.refusals();

  const { address, ended } = await at.signIn();
  const asked = new URL(address).searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({ code_challenge_method: "S256", resource: server.url });
  const back = await inBrowser(address);
  expect(await (await fetch(back)).text()).toContain("You can close this page");
  expect(await ended).toMatchObject({ failed: false, error: "" });
  await expect.poll(() => mcp.problems()).toEqual([]);
  expect(server.refusals()).toBe(refusals + 1); // the command's own question
  expect((await at.mcp("list")).out).toMatch(/^web · signed in by command line \d{4}-/u);
});

/** Signs in to `web` with a browser of this machine. */
async function signedIn({ signIn }: Pick<Place, "signIn">): Promise<void> {
  const { address, ended } = await signIn();
  await fetch(await inBrowser(address));
  expect(await ended).toMatchObject({ failed: false });
}

const rowsOf = ({ store }: Pick<Place, "store">) => store.tables(signInReads).all();

test("the address that a browser on another machine ends at can be pasted; that of another sign-in is not taken", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  const other = await at.signIn();
  const { address, paste, ended } = await at.signIn();
  const back = await inBrowser(address);
  paste("what now?");
  paste(await inBrowser(other.address));
  paste(`  ${back} `);
  const { out, failed } = await ended;
  expect(failed).toBe(false);
  expect(out).toContain("⚠ That is not the address at the end of a sign-in");
  expect(out).toContain("⚠ That is the answer to another sign-in.");
  expect(out).toContain("✓ Deckhand is signed in to web.");
  expect(server.authority.codes()).toBe(1);
  other.paste(await inBrowser(other.address, "decline"));
  expect(await other.ended).toMatchObject({
    failed: true,
    error: expect.stringMatching(/^✗ localhost:\d+ says that the sign-in was denied\.$/u),
  });
});

test("nothing of the tokens stands in clear in the database, in messages or in the audit log", async () => {
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
  expect(failed).toContain("it refuses the sign-in; an operator must run `deckhand mcp sign-in web` again");
  expect(failed).not.toContain(token);
});

async function connected(at: Place, world: World = {}): Promise<Connected> {
  const program = at.program(world);
  await program.mcp.settled();
  expect(program.mcp.problems()).toEqual([]);
  return program;
}

test("a token that has expired is renewed during a call, which does not notice", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { call } = await connected(at);
  const [before] = await rowsOf(at);
  server.expire();
  expect(textIn(await call("mcp__web__go"))).toBe("done");
  const [after] = await rowsOf(at);
  expect(after).toMatchObject({ at: before?.at, by: "command line" });
  expect(after?.sealed).not.toBe(before?.sealed);
  expect(new Set(server.tokens).size).toBe(2);
});

test("a token whose time is nearly over is renewed before it is sent", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { clock } = systemRuntime();
  let aheadMs = 0;
  const { call } = await connected(at, { clock: { ...clock, now: () => clock.now() + aheadMs } });
  const refusals = server.refusals();
  aheadMs = 3_590_000;
  expect(textIn(await call("mcp__web__go"))).toBe("done");
  expect(new Set(server.tokens).size).toBe(2);
  expect(server.refusals()).toBe(refusals);
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

test("a sign-in that the service renews no more has ended, and a new one works without a restart", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { mcp, call } = await connected(at);
  expect((await at.mcp("sign-out", "web")).out).toContain("revoked");
  await signedIn(at);
  const [row] = await rowsOf(at);
  const { signIn } = await openedRow(at, server.settings);
  await fetch(signIn.provider.revocation_endpoint ?? "", {
    method: "POST",
    body: new URLSearchParams({ token: signIn.refreshToken ?? "", client_id: signIn.client.client_id }),
  });
  await expect.poll(() => mcp.problems()).toEqual([]);
  server.expire();
  const ended = "its sign-in has ended; an operator must run `deckhand mcp sign-in web` again";
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

test("another address under the same name does not get the token, and says what to do", async () => {
  const server = await guardedServer();
  const other = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  at.set({ ...other.settings });
  const { mcp } = at.program();
  await mcp.settled();
  expect(mcp.problems()).toEqual([
    "web is not connected: its address has changed since the sign-in; an operator must run `deckhand mcp sign-in web` again.",
  ]);
  expect(other.seen).toEqual([]);
  expect((await at.mcp("list")).out).toContain("its address has changed since the sign-in");
});

test("a sign-out is revoked, ends the connection of a running program, and leaves nothing", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { mcp, call } = await connected(at);
  expect(await at.mcp("sign-out", "web")).toMatchObject({
    failed: false,
    out: "✓ The sign-in to web is forgotten, and its service has revoked it.",
  });
  expect(await rowsOf(at)).toEqual([]);
  await expect.poll(() => mcp.problems()).toEqual([WANTS]);
  expect(textIn(await call("mcp__web__go"))).toContain(WANTS);
  expect(await at.mcp("sign-out", "web")).toMatchObject({
    failed: true,
    error: expect.stringContaining("Nobody has signed in to web."),
  });
});

test("a service without registration says what to write, and a client that was registered by hand works", async () => {
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

test("doctor tries the server with the account, and says what an operator must do", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  expect((await at.doctor()).out).toContain(`✗ MCP server ${WANTS}`);
  await signedIn(at);
  expect((await at.doctor()).out).toContain("✓ MCP server web: 1 tool");
});

test("servers to which nobody signs in are said", async () => {
  const { url } = await httpServer(() => {});
  const at = await place({ url });
  expect((await at.mcp("sign-in", "wed")).error).toBe(
    '✗ There is no MCP server wed in the settings. Did you mean "web"?',
  );
  expect((await at.mcp("sign-in", "web")).error).toBe("✗ web answers without a sign-in: there is nothing to do.");
  at.set({ url, headers: { Authorization: "Bearer a-token-of-its-own" } });
  expect((await at.mcp("sign-in", "web")).error).toContain("✗ web has a token in its `headers`, which wins.");
  at.set({ command: "node" });
  expect((await at.mcp("sign-in", "web")).error).toContain("✗ web is a program on this machine");
  expect((await at.mcp("list")).out).toBe("web · a program, which needs no sign-in");
});

test("a server whose entry says sse wants the sign-in just the same", async () => {
  const server = await guardedServer();
  const at = await place({ ...server.settings, type: "sse" });
  const { mcp, call } = at.program();
  await mcp.settled();
  expect(mcp.problems()).toEqual([WANTS]);
  await signedIn(at);
  await expect.poll(() => mcp.problems()).toEqual([]);
  expect(textIn(await call("mcp__web__go"))).toBe("done");
});

test("a server that says nothing of a sign-in may want a token as well, and one that an account may not use says so", async () => {
  const server = await guardedServer({ challenge: () => undefined });
  const at = await place(server.settings);
  const { mcp, call } = at.program();
  await mcp.settled();
  expect(mcp.problems()).toEqual([
    "web is not connected: it refuses our credentials (HTTP 401: not); an operator must give it a token in its `headers`, or run `deckhand mcp sign-in web`.",
  ]);
  await signedIn(at);
  await expect.poll(() => mcp.problems()).toEqual([]);
  server.forbid('Bearer error="insufficient_scope", scope="write"');
  expect(textIn(await call("mcp__web__go"))).toContain(
    "the account that signed in may not do this: its sign-in lacks the scope write; an operator must put it into `oauth.scope`",
  );
  server.forbid(null);
  await expect.poll(async () => textIn(await call("mcp__web__go"))).toBe("done");
});

test("who does not sign in within ten minutes is told, and nothing is kept", async () => {
  const server = await guardedServer();
  const clock = new ManualClock();
  const { settings } = server;
  const guarded = createGuardedFetch(settings, { resolve: createSystemResolve() }, new AbortController().signal);
  const found = await discover(settings, { title: "web", guarded }, new AbortController().signal);
  const shown = Promise.withResolvers<void>();
  const say = (line: string) => line.includes("Ctrl-C") && shown.resolve();
  const lines = (signal: AbortSignal) => typedLines(new PassThrough(), signal);
  const signingIn = authorize(found, { title: "web", settings, guarded, clock, say, lines });
  const ended = expect(signingIn).rejects.toMatchObject({
    text: "Nobody signed in within 10 minutes. Nothing was changed.",
  });
  await shown.promise;
  await clock.advance(600_000);
  await ended;
});
