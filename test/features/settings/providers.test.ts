import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { checkKey } from "../../../src/cli/check-keys.ts";
import { CATALOG } from "../../../src/core/providers/catalog.ts";
import type { FeatureHost } from "../../../src/feature.ts";
import { providerRoutes } from "../../../src/features/settings/routes.ts";
import { useEmptiedDatabases } from "../../support/database/emptied-databases.ts";
import { freePort } from "../../support/program/free-port.ts";
import { loginWorld } from "../accounts/login-world.ts";

const emptied = useEmptiedDatabases();
const listSchema = z.object({
  rows: z.array(z.looseObject({ id: z.string(), keyFrom: z.string().nullable() })),
  mayTest: z.boolean(),
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
  const providers: FeatureHost["providers"] = {
    deepseek: { apiKey: KEY, baseUrl },
    mistral: { apiKey: "sk-a-wrong-one-0123456789", baseUrl },
    mine: {
      baseUrl: "https://models.example.com/v1",
      wire: "chat",
      models: { plain: { price: { input: 1, output: 2 } }, small: { contextWindow: 9_000 } },
    },
  };
  const audited: object[] = [];
  const routes = providerRoutes(
    {
      providers,
      tryKey: (id) => checkKey(id, providers),
      hideIn: (value) => value,
      audit: async (entry) => {
        audited.push(entry);
      },
    },
    { environment: { DEEPSEEK_API_KEY: KEY }, fileName: "deckhand.config.json" },
  );
  const world = await loginWorld({ store, routes: new Map([["settings", routes]]) });
  for (const role of ["viewer", "operator", "admin"]) await world.addAccount(role, role);
  const signedIn = async (name: string) => {
    const browser = world.browser();
    await browser.signIn(name);
    const socket = await browser.open();
    if (typeof socket === "number") throw new Error("refused");
    const { changeToken } = await socket.next("you");
    const own = { origin: world.origin, "x-deckhand-change": changeToken };
    const tryKey = (id: string, others: Readonly<Record<string, string>> = {}) =>
      browser.ask("POST", "/features/settings/test", {
        headers: { ...own, "content-type": "application/json", ...others },
        body: JSON.stringify({ id }),
      });
    return { browser, tryKey };
  };
  return { world, signedIn, audited };
}

test("each provider is listed with where its key is from, and never with the key", async () => {
  const { signedIn } = await opened();
  const { browser } = await signedIn("viewer");
  const { status, body } = await browser.get("/features/settings/providers");
  expect(status).toBe(200);
  expect(body).not.toContain("sk-");
  const { rows: listed, mayTest } = listSchema.parse(JSON.parse(body));
  expect(mayTest).toBe(false);
  expect(listed.map(({ id }) => id)).toEqual([...CATALOG.map(({ id }) => id), "mine"]);
  const of = (id: string) => listed.find((each) => each.id === id);
  expect(of("deepseek")).toMatchObject({ keyFrom: "DEEPSEEK_API_KEY", isConfigured: true });
  expect(of("mistral")).toMatchObject({ keyFrom: "deckhand.config.json", isConfigured: true });
  expect(of("openai")).toMatchObject({ keyFrom: null, isConfigured: false, keyVariable: "OPENAI_API_KEY" });
});

test("models are listed with windows and prices, and what is unknown is null", async () => {
  const { signedIn } = await opened();
  const { browser } = await signedIn("viewer");
  const models = async (id: string) => {
    const { body } = await browser.get(`/features/settings/models?provider=${id}`);
    return modelsSchema.parse(JSON.parse(body)).models;
  };
  expect((await models("anthropic"))[0]).toMatchObject({
    contextWindow: expect.any(Number),
    price: { input: expect.any(Number) },
  });
  expect((await browser.get("/features/settings/models?provider=nobody")).status).toBe(404);
  expect(await models("mine")).toMatchObject([
    { id: "plain", contextWindow: null, price: { input: 1, output: 2 } },
    { id: "small", contextWindow: 9_000, price: null },
  ]);
});

test("an admin tries a key, reads in a line what came back, and the audit log has it", async () => {
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

test("nobody but an admin tries a key, and no admin's browser without the page's token or from elsewhere", async () => {
  const { world, signedIn, audited } = await opened();
  for (const role of ["viewer", "operator"]) {
    const { tryKey } = await signedIn(role);
    expect((await tryKey("deepseek")).status).toBe(403);
  }
  const { tryKey } = await signedIn("admin");
  expect((await tryKey("deepseek", { "x-deckhand-change": "" })).status).toBe(403);
  expect((await tryKey("deepseek", { "x-deckhand-change": "guessed" })).status).toBe(403);
  expect((await tryKey("deepseek", { origin: "https://evil.example" })).status).toBe(403);
  expect((await world.browser().get("/features/settings/providers")).status).toBe(401);
  expect(audited).toEqual([]);
});
