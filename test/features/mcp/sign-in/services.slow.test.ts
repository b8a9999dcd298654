import { expect, test } from "vitest";
import type { McpUrlServer } from "../../../../src/features/mcp/server-settings.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { textIn } from "../connected.ts";
import { guardedServer } from "./authority.ts";
import { connected, type Place, place, rowsOf, signedIn } from "./command.ts";
import { type ServiceOptions, service, signInTo } from "./service.ts";

/** Services that deviate from the standards and that people want to use all the same. */

/** What Python programs make of members without a value. */
const NOTHING = { scope: null, id_token: null, scopes_supported: null, service_documentation: "", contacts: null };

const services: readonly (readonly [string, ServiceOptions])[] = [
  [
    "leaves the path out of its authorization server's name",
    { path: "/tenant-7", metadata: (usual, origin) => ({ ...usual, issuer: origin }) },
  ],
  [
    "writes its authorization server's name with an extra slash",
    { metadata: (usual, origin) => ({ ...usual, issuer: `${origin}/` }) },
  ],
  [
    "writes null for absent fields",
    {
      metadata: (usual) => ({ ...usual, ...NOTHING, revocation_endpoint: null }),
      registered: (asked) => ({ client_id: "c", ...asked, ...NOTHING, client_secret: "" }),
      tokens: (usual, asked) => ({
        ...usual,
        ...NOTHING,
        expires_in: null,
        ...(asked.get("grant_type") === "refresh_token" ? { refresh_token: "" } : {}),
      }),
    },
  ],
  [
    "registers only clients with a secret",
    {
      metadata: (usual) => ({ ...usual, token_endpoint_auth_methods_supported: ["client_secret_post"] }),
      registered: (asked) =>
        asked["token_endpoint_auth_method"] === "client_secret_post"
          ? { client_id: "c", client_secret: "the-secret", ...asked }
          : null,
      tokens: (usual, asked) => (asked.get("client_secret") === "the-secret" ? usual : { error: "invalid_client" }),
    },
  ],
  ["says a lifetime of zero", { tokens: (usual) => ({ ...usual, expires_in: 0 }) }],
  ["says a lifetime as text", { tokens: (usual) => ({ ...usual, expires_in: "3600" }) }],
  ["says a lifetime below zero", { tokens: (usual) => ({ ...usual, expires_in: -1 }) }],
];

test.each(services)("people can sign in to a service that %s, and it renews tokens", async (_, options) => {
  const { settings, expire, asked } = await service(options);
  const at = await place(settings);
  expect(await signInTo(at)).toMatchObject({ failed: false, error: "" });
  const { call } = await connected(at);
  for (let renewals = 1; renewals <= 2; renewals++) {
    expire();
    expect(textIn(await call("mcp__web__go"))).toBe("done");
    expect(asked.at(-1)?.get("refresh_token")).toMatch(/^refresh-\d$/u);
    expect(asked.length).toBe(1 + renewals);
  }
});

test("a token without an expiry time or a refresh token is stored, and its end is reported", async () => {
  const tokens = (usual: object) => ({ ...usual, refresh_token: null, expires_in: 1e300 });
  const { settings } = await service({ tokens });
  const at = await place(settings);
  const { out, failed } = await signInTo(at);
  expect(failed).toBe(false);
  expect(out).toContain("the sign-in ends at 20");
});

test("an authorization server that uses another host's name is not used, and the message says what to configure", async () => {
  const { settings } = await service({ metadata: (usual) => ({ ...usual, issuer: "https://login.example.com/x" }) });
  const at = await place(settings);
  expect((await at.mcp("sign-in", "web")).error).toMatch(
    /^✗ 127\.0\.0\.1:\d+ calls itself https:\/\/login\.example\.com\/x\. .*`oauth: \{ "issuer": "https:\/\/login\.example\.com\/x" \}`/u,
  );
});

/** Publishes at 127.0.0.1 what it says of itself under another name, `localhost`, and nothing there. */
const elsewhere = (tokensAt: (own: string, origin: string) => string): ServiceOptions => ({
  metadata: (usual, origin) => {
    if (!origin.includes("127.0.0.1")) return null;
    const own = origin.replace("127.0.0.1", "localhost");
    return { ...usual, issuer: own, token_endpoint: `${tokensAt(own, origin)}/token` };
  },
});
const named = ({ url }: McpUrlServer) => new URL("/", url.replace("127.0.0.1", "localhost")).origin;

test("metadata for an authorization server with another name is used if that server is in the settings", async () => {
  const { settings, expire } = await service(elsewhere((own) => own));
  const at = await place({ ...settings, oauth: { issuer: named(settings) } });
  expect(await signInTo(at)).toMatchObject({ failed: false, error: "" });
  const { call } = await connected(at);
  expire();
  expect(textIn(await call("mcp__web__go"))).toBe("done");
});

test("codes of an authorization server from the settings are not redeemed elsewhere", async () => {
  const { settings, asked } = await service(elsewhere((_, origin) => origin));
  const at = await place({ ...settings, oauth: { issuer: named(settings) } });
  expect((await at.mcp("sign-in", "web")).error).toMatch(/^✗ localhost:\d+ publishes no OAuth metadata/u);
  expect(asked).toEqual([]);
});

test.each(["http://127.0.0.1:9/x", "/nothing", "https://10.0.0.1/x", "http://"])(
  "people can sign in to a server that gives %s for its metadata, which is at the usual address",
  async (said) => {
    const server = await guardedServer({
      challenge: (metadataUrl) =>
        `Bearer resource_metadata="${said === "/nothing" ? new URL(said, metadataUrl).href : said}"`,
    });
    const at = await place(server.settings);
    await signedIn(at);
    const { call } = await connected(at);
    expect(textIn(await call("mcp__web__go"))).toBe("done");
  },
);

let clients = 0;
const newClient = (asked: object) => ({ client_id: `client-${++clients}`, ...asked });

test("a sign-in that replaces an earlier one revokes it, unless both have the same client", async () => {
  const { settings, revoked } = await service({ registered: newClient });
  const at = await place(settings);
  await signInTo(at);
  expect(await signInTo(at)).toMatchObject({ failed: false, out: expect.not.stringContaining("⚠") });
  expect(revoked).toEqual(["refresh-1", "access-token-1"]);

  const same = await service();
  at.set(same.settings);
  expect((await signInTo(at)).out).toContain("⚠ The earlier sign-in may still be valid"); // at another address
  expect((await signInTo(at)).out).toContain("⚠ The earlier sign-in may still be valid");
  expect(same.revoked).toEqual([]);
});

const endings = {
  out: async (at: Place) => void (await at.mcp("sign-out", "web")),
  in: async (at: Place) => void (await signInTo(at)),
} as const;

test.each(Object.entries(endings))("tokens that are renewed while a person signs %s are revoked", async (how, end) => {
  const { settings, revoked, asked, expire, hold } = await service({ registered: newClient });
  const at = await place(settings);
  await signInTo(at);
  const { call } = await connected(at);
  expire();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(promise);
  const calling = call("mcp__web__go");
  await expect.poll(() => asked.length).toBe(2);
  await end(at);
  resolve();
  await calling;
  expect(revoked).toEqual(["refresh-1", "access-token-1", "refresh-2", "access-token-2"]);
  expect(await rowsOf(at)).toHaveLength(how === "in" ? 1 : 0);
});

test("a temporary failure of the authorization server does not end the sign-in, even if the clock is set back meanwhile", async () => {
  const { settings, expire, fail } = await service();
  const at = await place(settings);
  await signInTo(at);
  const { clock } = systemRuntime();
  let now = clock.now();
  const { call } = await connected(at, { clock: { ...clock, now: () => now } });
  expire();
  fail({ status: 503, body: { error: "temporarily_unavailable" } });
  expect(textIn(await call("mcp__web__go"))).toContain("its sign-in cannot be renewed now: 127.0.0.1");
  expect(await rowsOf(at)).toMatchObject([{ refusedAt: null }]);
  fail(null);
  now -= 3_600_000;
  expect(textIn(await call("mcp__web__go"))).toBe("done");
});

test.each(["bad_refresh_token", "invalid_refresh_token"])(
  "the answer %s of a service ends the sign-in",
  async (error) => {
    const { settings, expire, fail } = await service();
    const at = await place(settings);
    await signInTo(at);
    const { call } = await connected(at);
    expire();
    // Such services answer so with HTTP 200.
    fail({ status: 200, body: { error, error_description: null } });
    expect(textIn(await call("mcp__web__go"))).toContain(
      "its sign-in has ended; an admin must sign in again on the web page, or run `deckhand mcp sign-in web`",
    );
    expect(await rowsOf(at)).toMatchObject([{ refusedAt: expect.any(Number) }]);
  },
);
