import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { systemRuntime } from "../../../../src/runtime.ts";
import { textIn } from "../connected.ts";
import { httpServer, serverBehind } from "../http-server.ts";
import { guardedServer, inBrowser } from "./authority.ts";
import { connected, place, rowsOf, signedIn, WANTS } from "./command.ts";

test("a server that needs a sign-in is reported once and left alone, and connects as soon as someone has signed in", async () => {
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

test("the final address of a browser on another machine can be pasted; that of another sign-in is refused", async () => {
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

test("an expired token is renewed during a call without affecting it", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { call } = await connected(at);
  const [before] = await rowsOf(at);
  server.expire();
  expect(textIn(await call("mcp__web__go"))).toBe("done");
  const [after] = await rowsOf(at);
  expect(after).toMatchObject({ at: before?.at, by: "command line" });
  expect((await at.mcp("list")).out).toMatch(
    /^web · signed in by command line \d{4}-\d\d-\d\d, renewed \d{4}-\d\d-\d\d$/u,
  );
  expect(after?.sealed).not.toBe(before?.sealed);
  expect(new Set(server.tokens).size).toBe(2);
});

test("a token that is about to expire is renewed before it is sent", async () => {
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

test("another address under the same name does not get the token, and the message says what to do", async () => {
  const server = await guardedServer();
  const other = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  at.set({ ...other.settings });
  const { mcp } = at.program();
  await mcp.settled();
  expect(mcp.problems()).toEqual([
    "web is not connected: its address has changed since the sign-in; an admin must sign in again on the web page, or run `deckhand mcp sign-in web`.",
  ]);
  expect(other.seen).toEqual([]);
  expect((await at.mcp("list")).out).toContain("its address has changed since the sign-in");
});

test("the sign-in to a server that was disabled or removed is listed and can be ended", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  at.set({ ...server.settings, disabled: true });
  expect((await at.mcp("list")).out).toBe("web · It is disabled in the settings. Its sign-in is kept.");
  writeFileSync(path.join(at.home, "deckhand.config.json"), "{}");
  expect((await at.mcp("list")).out).toBe(
    "web · signed in, but no longer in the settings: `deckhand mcp sign-out web`",
  );
  expect((await at.mcp("sign-out", "web")).out).toContain("✓ Deckhand is signed out of web.");
  expect((await at.mcp("list")).out).toContain("There are no MCP servers.");
});

test.each([404, 500, 307])("a server that answers with HTTP %i is not said to need no sign-in", async (status) => {
  const { url } = await serverBehind((_, response) => {
    response.writeHead(status, { location: "/elsewhere" }).end();
    return Promise.resolve(true);
  });
  const at = await place({ url });
  expect((await at.mcp("sign-in", "web")).error).toBe(
    `✗ web answers with HTTP ${status} and does not say how to sign in. Check its address.`,
  );
});

test("a sign-in that a server does not need or cannot have is refused with the reason", async () => {
  const { url } = await httpServer(() => {});
  const at = await place({ url });
  expect((await at.mcp("sign-in", "wed")).error).toBe(
    '✗ There is no MCP server wed in the settings. Did you mean "web"?',
  );
  expect((await at.mcp("sign-in", "web")).error).toBe("✗ web does not require a sign-in: there is nothing to do.");
  at.set({ url, headers: { Authorization: "Bearer a-token-of-its-own" } });
  expect((await at.mcp("sign-in", "web")).error).toContain(
    "✗ web has a token in its `headers`, which takes precedence.",
  );
  at.set({ command: "node" });
  expect((await at.mcp("sign-in", "web")).error).toContain("✗ web is a program on this machine");
  expect((await at.mcp("list")).out).toBe("web · a program, which needs no sign-in");
});
