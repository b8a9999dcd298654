import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { checkKey } from "../../../src/cli/doctor/check-keys.ts";
import { CATALOG, DEMO_MODEL } from "../../../src/core/providers/catalog.ts";
import { liveProviders } from "../../../src/core/providers/registry/live-providers.ts";
import { openKeyring } from "../../../src/features/providers/keyring.ts";
import { providerRoutes } from "../../../src/features/providers/routes.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { useEmptiedDatabases } from "../../support/database/emptied-databases.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { freePort } from "../../support/program/free-port.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { loginWorld } from "../accounts/login-world.ts";

const emptied = useEmptiedDatabases();
const listSchema = z.object({
  rows: z.array(z.looseObject({ id: z.string(), keyFrom: z.string().nullable() })),
  mayChange: z.boolean(),
});
const modelsSchema = z.object({ models: z.array(z.looseObject({ id: z.string() })) });
const KEY = "sk-of-the-operator-0123456789";

/** A provider that takes one key, and repeats what it refuses. */
async function startProvider(): Promise<string> {
  const server = createServer((request, response) => {
    const isRight = request.headers.authorization === `Bearer ${KEY}`;
    const body = isRight
      ? { object: "list", data: [{ id: "m-1" }, { id: "m-2" }] }
      : { error: { message: `no such key: ${request.headers.authorization}` } };
    response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${port}/v1`;
}

async function opened() {
  const store = await emptied();
  const baseUrl = await startProvider();
  const live = liveProviders({
    deepseek: { apiKey: KEY, baseUrl },
    mistral: { apiKey: "sk-a-wrong-one-0123456789", baseUrl },
    mine: {
      baseUrl: "https://models.example.com/v1",
      wire: "chat",
      models: { plain: { price: { input: 1, output: 2 } }, small: { contextWindow: 9_000 } },
    },
    groq: { baseUrl },
  });
  const audited: object[] = [];
  const clock = new ManualClock();
  const host = {
    store,
    runtime: { ...systemRuntime(), clock },
    log: silentLog,
    home: tempDirectory(),
    cluster: onlyProcess({ clock, log: silentLog }),
  };
  const given = { ...host, usualModel: () => DEMO_MODEL, providers: live.shown, giveKeys: live.setKeys };
  const keyring = await openKeyring(given, null);
  const routes = providerRoutes(
    {
      ...given,
      tryKey: (id, key) => checkKey(id, key === undefined ? live.settings : live.with(id, key)),
      hideIn: (value) => value,
      audit: async (entry) => {
        audited.push(entry);
      },
    },
    { environment: { DEEPSEEK_API_KEY: KEY }, fileName: "deckhand.config.json", keyring },
  );
  const world = await loginWorld({ store, routes: new Map([["providers", routes]]) });
  for (const role of ["viewer", "operator", "admin"]) await world.addAccount(role, role);
  const signedIn = async (name: string) => {
    const browser = world.browser();
    await browser.signIn(name);
    const socket = await browser.open();
    if (typeof socket === "number") throw new Error("refused");
    const { changeToken } = await socket.next("you");
    const own = { origin: world.origin, "x-deckhand-change": changeToken };
    const send = (to: string, body: object, others: Readonly<Record<string, string>> = {}) =>
      browser.ask("POST", `/features/providers/${to}`, {
        headers: { ...own, "content-type": "application/json", ...others },
        body: JSON.stringify(body),
      });
    const tryKey = (id: string, others?: Readonly<Record<string, string>>) => send("test", { id }, others);
    const listed = async () => (await browser.get("/features/providers/list")).body;
    return { browser, tryKey, send, listed };
  };
  return { world, signedIn, audited, clock, live };
}

test("each provider is listed with the source of its key, and never the key", async () => {
  const { signedIn } = await opened();
  const { browser } = await signedIn("viewer");
  const { status, body } = await browser.get("/features/providers/list");
  expect(status).toBe(200);
  expect(body).not.toContain("sk-");
  const { rows: listed, mayChange } = listSchema.parse(JSON.parse(body));
  expect(mayChange).toBe(false);
  expect(listed.map(({ id }) => id)).toEqual([...CATALOG.map(({ id }) => id), "mine"]);
  const of = (id: string) => listed.find((each) => each.id === id);
  expect(of("deepseek")).toMatchObject({ keyFrom: "DEEPSEEK_API_KEY", isConfigured: true });
  expect(of("mistral")).toMatchObject({ keyFrom: "deckhand.config.json", isConfigured: true });
  expect(of("openai")).toMatchObject({ keyFrom: null, isConfigured: false, keyVariable: "OPENAI_API_KEY" });
});

test("models are listed with context windows and prices; unknown ones are null", async () => {
  const { signedIn } = await opened();
  const { browser } = await signedIn("viewer");
  const models = async (id: string) => {
    const { body } = await browser.get(`/features/providers/models?provider=${id}`);
    return modelsSchema.parse(JSON.parse(body)).models;
  };
  expect((await models("anthropic"))[0]).toMatchObject({
    contextWindow: expect.any(Number),
    price: { input: expect.any(Number) },
  });
  expect((await browser.get("/features/providers/models?provider=nobody")).status).toBe(404);
  expect(await models("mine")).toMatchObject([
    { id: "plain", contextWindow: null, price: { input: 1, output: 2 } },
    { id: "small", contextWindow: 9_000, price: null },
  ]);
});

test("an admin can test a key and reads the outcome in one line, and the test is audited", async () => {
  const { signedIn, audited } = await opened();
  const { tryKey } = await signedIn("admin");
  const right = await tryKey("deepseek");
  expect(JSON.parse(right.body)).toMatchObject({ ok: true, text: expect.stringContaining("it lists 2 models") });
  const wrong = await tryKey("mistral");
  expect(JSON.parse(wrong.body)).toMatchObject({ ok: false, text: expect.stringContaining("refused (HTTP 401)") });
  expect(`${right.body}${wrong.body}${JSON.stringify(audited)}`).not.toContain("sk-");
  expect(audited).toMatchObject([
    { by: "admin", act: "provider.tested", about: "DeepSeek", details: "it works" },
    { by: "admin", act: "provider.tested", details: "it does not work" },
  ]);
  expect((await tryKey("openai")).status).toBe(409);
  expect((await tryKey("nobody")).status).toBe(404);
});

test("a key test is refused without the admin role, without the change token, and from another origin", async () => {
  const { world, signedIn, audited } = await opened();
  for (const role of ["viewer", "operator"]) {
    const { tryKey } = await signedIn(role);
    expect((await tryKey("deepseek")).status).toBe(403);
  }
  const { tryKey } = await signedIn("admin");
  expect((await tryKey("deepseek", { "x-deckhand-change": "" })).status).toBe(403);
  expect((await tryKey("deepseek", { "x-deckhand-change": "guessed" })).status).toBe(403);
  expect((await tryKey("deepseek", { origin: "https://evil.example" })).status).toBe(403);
  expect((await world.browser().get("/features/providers/list")).status).toBe(401);
  expect(audited).toEqual([]);
});

const STORED = "sk-stored-on-the-page-wxyz";

test("an admin can store, replace and remove a key; the audit log names who, and no response contains the key", async () => {
  const { signedIn, audited, live } = await opened();
  const { send, listed } = await signedIn("admin");
  expect((await send("key", { id: "groq", key: ` ${STORED}\n` })).status).toBe(200);
  expect(live.settings["groq"]?.apiKey).toBe(STORED);
  const list = listSchema.parse(JSON.parse(await listed()));
  expect(list.rows.find(({ id }) => id === "groq")).toMatchObject({
    keyFrom: null,
    isConfigured: true,
    stored: { hint: "wxyz", by: "admin", isUsed: true },
  });
  const { listed: seenByViewer } = await signedIn("viewer");
  expect(await seenByViewer()).not.toContain("wxyz");
  const answer = await send("test", { id: "groq" });
  expect(JSON.parse(answer.body)).toMatchObject({ ok: false, text: expect.stringContaining("refused (HTTP 401)") });
  expect((await send("key", { id: "groq", key: KEY })).status).toBe(200);
  expect(JSON.parse((await send("test", { id: "groq" })).body)).toMatchObject({ ok: true });
  expect(`${await listed()}${answer.body}`).not.toMatch(/sk-/u);
  expect((await send("key/remove", { id: "groq" })).status).toBe(200);
  expect(live.settings["groq"]).not.toHaveProperty("apiKey");
  expect((await send("key/remove", { id: "groq" })).status).toBe(404);
  expect(audited).toMatchObject([
    { by: "admin", act: "provider.key_set", about: "Groq" },
    { act: "provider.tested" },
    { act: "provider.key_set" },
    { act: "provider.tested" },
    { act: "provider.key_removed", about: "Groq" },
  ]);
  expect(JSON.stringify(audited)).not.toContain("sk-");
});

test("a key that cannot be stored is reported, and the previous one is kept", async () => {
  const { signedIn, live, audited } = await opened();
  const { send } = await signedIn("admin");
  const refusals = [
    [{ id: "deepseek", key: STORED }, "is set by the environment or the settings file"],
    [{ id: "nobody", key: STORED }, "no provider nobody"],
    [{ id: "demo", key: STORED }, "no provider demo"],
    [{ id: "groq", key: "" }, "Enter a key"],
    [{ id: "groq", key: "two words of a key" }, "no spaces"],
    [{ id: "groq", key: "short" }, "at least 8"],
    [{ id: "groq", key: "k".repeat(4_001) }, "at most 4,000"],
  ] as const;
  for (const [body, words] of refusals) {
    const { status, body: answer } = await send("key", body);
    expect([status, answer]).toEqual([409, expect.stringContaining(words)]);
  }
  expect(live.settings["deepseek"]?.apiKey).toBe(KEY);
  expect(live.settings["groq"]).not.toHaveProperty("apiKey");
  expect(audited).toEqual([]);
});

test("a key can be tested before it is stored, and is in no response", async () => {
  const { signedIn, live } = await opened();
  const { send } = await signedIn("admin");
  expect(JSON.parse((await send("test", { id: "groq", key: KEY })).body)).toMatchObject({ ok: true });
  const wrong = await send("test", { id: "groq", key: STORED });
  expect(JSON.parse(wrong.body)).toMatchObject({ ok: false });
  expect(wrong.body).not.toContain(STORED);
  expect(live.settings["groq"]).not.toHaveProperty("apiKey");
});

test("key tests are rate-limited to ten per minute and person", async () => {
  const { signedIn, clock } = await opened();
  const { tryKey } = await signedIn("admin");
  for (let count = 0; count < 10; count++) expect((await tryKey("deepseek")).status).toBe(200);
  const { status, body } = await tryKey("deepseek");
  expect([status, body]).toEqual([429, expect.stringContaining("Wait a minute")]);
  await clock.advance(60_001);
  expect((await tryKey("deepseek")).status).toBe(200);
});

test("nobody but an admin can set or remove a key, whatever the request", async () => {
  const { signedIn, live } = await opened();
  const changes = [
    ["key", { id: "groq", key: STORED }],
    ["key/remove", { id: "groq" }],
  ] as const;
  for (const role of ["viewer", "operator"]) {
    const { send } = await signedIn(role);
    for (const [to, body] of changes) expect((await send(to, body)).status).toBe(403);
  }
  const { send } = await signedIn("admin");
  for (const [to, body] of changes) {
    expect((await send(to, body, { "x-deckhand-change": "guessed" })).status).toBe(403);
    expect((await send(to, body, { origin: "https://evil.example" })).status).toBe(403);
  }
  expect(live.settings["groq"]).not.toHaveProperty("apiKey");
});
