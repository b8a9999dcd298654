import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createGuardedFetch } from "../../../../src/features/mcp/sign-in/guarded-fetch.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { textIn } from "../connected.ts";
import { serverBehind } from "../http-server.ts";
import { guardedServer, inBrowser } from "./authority.ts";
import { connected, place, signedIn } from "./command.ts";
import { authorityAt, originOf, sendJson } from "./service.ts";

/** What servers and authorization servers may say and do to lead tokens or requests astray. */

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(answer: Answer): Promise<{ readonly origin: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { origin: `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`, asked };
}

/** A server that refuses everything, and names metadata at an address. */
async function refusing(
  metadataUrl: (origin: string) => string,
  answer: Answer = (_, response) => void response.end(),
) {
  const server = await serverBehind(async (request, response) => {
    const origin = originOf(request);
    if (request.url === "/mcp")
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadataUrl(origin)}"` }).end();
    else answer(request, response);
    return true;
  });
  return { ...server, origin: new URL(server.url).origin };
}

const internal = [
  "http://INSIDE/metadata",
  "https://169.254.169.254/latest",
  "https://localhost:9/x",
  "file:///etc/passwd",
];

test.each(internal)("metadata at %s is not requested", async (metadataUrl) => {
  const inside = await listen((_, response) => sendJson(response, {}));
  const server = await refusing(() => metadataUrl.replace("INSIDE", new URL(inside.origin).host));
  const at = await place({ url: server.url });
  const { failed, error } = await at.mcp("sign-in", "web");
  expect(failed).toBe(true);
  expect(error).toMatch(/is not encrypted|is not a public address|Only http and https/u);
  expect(inside.asked).toEqual([]);
});

test("an authorization server in a private network is not contacted unless the operator has configured it", async () => {
  const inside = await listen((_, response) => sendJson(response, {}));
  const server = await refusing(
    (origin) => `${origin}/metadata`,
    (request, response) =>
      sendJson(response, {
        resource: `${originOf(request)}/mcp`,
        authorization_servers: [inside.origin],
      }),
  );
  const at = await place({ url: server.url });
  expect((await at.mcp("sign-in", "web")).error).toContain('put `oauth: { "issuer": "https://…" }` into');
  expect(inside.asked).toEqual([]);
});

test("a redirect from the server's metadata cannot reach another host or loop forever", async () => {
  const inside = await listen((_, response) => sendJson(response, {}));
  for (const to of [`${inside.origin}/x`, "/metadata"]) {
    let asked = 0;
    const server = await refusing(
      (origin) => `${origin}/metadata`,
      (_, response) => {
        asked += 1;
        response.writeHead(302, { location: to }).end();
      },
    );
    const at = await place({ url: server.url });
    expect((await at.mcp("sign-in", "web")).error).toMatch(/^✗ 127\.0\.0\.1:\d+ answers with HTTP 302\.$/u);
    expect(asked).toBeLessThan(20);
  }
  expect(inside.asked).toEqual([]);
});

const bodies: readonly (readonly [string, Answer, RegExp])[] = [
  ["HTML", (_, response) => response.end("<html><b>Sign in</b>"), /does not follow OAuth/u],
  ["nothing", (_, response) => response.end(), /does not follow OAuth/u],
  ["a list", (_, response) => response.end("[1]"), /does not follow OAuth/u],
  ["a megabyte", (_, response) => response.end("x".repeat(1_048_576)), /is too large/u],
  ["a failure", (_, response) => void response.writeHead(503).end("no"), /answers with HTTP 503/u],
  [
    "another resource",
    (_, response) => sendJson(response, { resource: "https://bank.example.com/mcp" }),
    /is for https:\/\/bank\.example\.com\/mcp/u,
  ],
];

test.each(bodies)("metadata that is %s is reported in one sentence", async (_, answer, text) => {
  const server = await refusing((origin) => `${origin}/metadata`, answer);
  const at = await place({ url: server.url });
  const { failed, error } = await at.mcp("sign-in", "web");
  expect(failed).toBe(true);
  expect(error).toMatch(/^✗ [^\n]*\.$/u);
  expect(error).toMatch(text);
});

const authorities: readonly (readonly [string, object, RegExp])[] = [
  ["goes by another name", { issuer: "https://login.example.com" }, /calls itself https:\/\/login\.example\.com\. /u],
  [
    "accepts tokens unencrypted elsewhere",
    { token_endpoint: "http://10.0.0.1/token" },
    /^✗ http:\/\/10\.0\.0\.1\/token is not encrypted/u,
  ],
  ["is opened unencrypted elsewhere", { authorization_endpoint: "http://example.com/auth" }, /is not encrypted/u],
  ["is opened as a script", { authorization_endpoint: "javascript:alert(1)" }, /does not follow OAuth|not encrypted/u],
  [
    "registers in a private network",
    { registration_endpoint: "https://10.0.0.1/register" },
    /10\.0\.0\.1 is not a public address/u,
  ],
  [
    "has no PKCE",
    { code_challenge_methods_supported: ["plain"], registration_endpoint: "SELF/register" },
    /does not support the sign-in that MCP requires/u,
  ],
];

test.each(authorities)("an authorization server that %s is not used", async (_, changes, text) => {
  const login = await listen((request, response) => {
    const origin = originOf(request);
    const own = JSON.parse(JSON.stringify(changes).replaceAll("SELF", origin));
    sendJson(
      response,
      request.url === "/register" ? { client_id: "c", redirect_uris: [`${origin}/x`] } : authorityAt(origin, own),
    );
  });
  const server = await refusing(
    (origin) => `${origin}/metadata`,
    (request, response) =>
      sendJson(response, { resource: `${originOf(request)}/mcp`, authorization_servers: [login.origin] }),
  );
  const at = await place({ url: server.url, oauth: { issuer: login.origin } });
  const { failed, error } = await at.mcp("sign-in", "web");
  expect(failed).toBe(true);
  expect(error).toMatch(text);
  expect(login.asked.filter((path) => path === "/token")).toEqual([]);
});

test("a code from another authorization server is not redeemed, and its text is not shown", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  for (const changes of [{ iss: "https://evil.example.com" }, { iss: null }]) {
    const { address, paste, ended } = await at.signIn();
    const back = new URL(await inBrowser(address));
    if (changes.iss === null) back.searchParams.delete("iss");
    else back.searchParams.set("iss", changes.iss);
    back.searchParams.set("error_description", "call 0900");
    paste(back.href);
    const { error, out } = await ended;
    expect(error).toMatch(
      /^✗ The answer does not come from localhost:\d+, or does not say where it comes from\. Nothing was changed\.$/u,
    );
    expect(out + error).not.toContain("0900");
  }
  expect(server.authority.codes()).toBe(0);
});

test("pages that send answers to the listener neither end the sign-in nor flood the terminal", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  const { address, ended } = await at.signIn();
  const listener = new URL(address).searchParams.get("redirect_uri") ?? "";
  for (const query of ["?code=x&state=y", "?error=access_denied", "?code=x", ""]) {
    for (let times = 0; times < 5; times++) await fetch(`${listener}${query}`);
  }
  expect((await fetch(listener, { method: "POST", body: "code=x" })).status).toBe(404);
  await fetch(await inBrowser(address));
  const { out, failed } = await ended;
  expect(failed).toBe(false);
  expect(out.match(/the answer to another sign-in/gu)?.length).toBe(5);
});

test("a server that refuses every token is tried a few times with one renewal, and then left alone", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  const { address, ended } = await at.signIn();
  await fetch(await inBrowser(address));
  await ended;
  server.refuse(true);
  const { mcp, call } = at.program();
  await mcp.settled();
  const says = [
    "web is not connected: it refuses the sign-in; an admin must sign in again on the web page, or run `deckhand mcp sign-in web`.",
  ];
  expect(mcp.problems()).toEqual(says);
  expect(server.authority.codes()).toBe(2);
  const refusals = server.refusals();
  expect(refusals).toBeLessThan(8);
  await mcp.connection("web")?.reconnect();
  expect(mcp.problems()).toEqual(says);
  expect(server.authority.codes()).toBe(2);
  server.refuse(false);
  await mcp.connection("web")?.reconnect();
  expect(mcp.problems()).toEqual([]);
  expect((await call("mcp__web__go")).isError).toBe(false);
});

test("a token that is accepted for everything except calls is not renewed on each call", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { clock } = systemRuntime();
  let aheadMs = 0;
  const { mcp, call } = await connected(at, { clock: { ...clock, now: () => clock.now() + aheadMs } });
  server.refuseCalls(true);
  const codes = server.authority.codes();
  for (let calls = 0; calls < 4; calls++) {
    expect(textIn(await call("mcp__web__go"))).toContain(
      "The MCP server web failed: it refuses the sign-in; an admin must sign in again on the web page, or run `deckhand mcp sign-in web`.",
    );
  }
  expect(server.authority.codes()).toBe(codes + 1);
  expect(mcp.problems()).toEqual([]);
  aheadMs = 900_000;
  await call("mcp__web__go");
  await call("mcp__web__go");
  expect(server.authority.codes()).toBe(codes + 2);
  server.refuseCalls(false);
  expect(textIn(await call("mcp__web__go"))).toBe("done");
});

test("a clock set back or forward by days causes at most one renewal", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  const { address, ended } = await at.signIn();
  await fetch(await inBrowser(address));
  await ended;
  const { clock } = systemRuntime();
  for (const days of [-3, 3]) {
    const now = () => clock.now() + days * 86_400_000;
    const { mcp, call } = at.program({ clock: { ...clock, now } });
    await mcp.settled();
    expect(mcp.problems()).toEqual([]);
    server.expire();
    expect((await call("mcp__web__go")).isError).toBe(false);
  }
});

test("a name that resolves to a private address is refused", async () => {
  const settings = { url: "https://mcp.example.com/mcp" };
  const guarded = createGuardedFetch(
    settings,
    { resolve: (name) => Promise.resolve(name === "login.example.com" ? ["10.1.2.3"] : ["93.184.216.34"]) },
    new AbortController().signal,
  );
  await expect(guarded("https://login.example.com/token", { method: "POST", body: "x" })).rejects.toThrow(
    "not a public address",
  );
});

test("a server that redirects requests to another host does not send the token there", async () => {
  const inside = await listen((_, response) => sendJson(response, {}));
  const server = await guardedServer();
  const at = await place(server.settings);
  await signedIn(at);
  const { mcp, call } = await connected(at);
  server.move(`${inside.origin}/mcp`);
  const { isError, content } = await call("mcp__web__go");
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toContain("it answers with a redirect (HTTP 307)");
  await mcp.connection("web")?.reconnect();
  expect(inside.asked).toEqual([]);
});
