import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { embeddersOf } from "../../../../src/core/providers/registry/embedder.ts";
import { liveProviders } from "../../../../src/core/providers/registry/live-providers.ts";
import type { ProviderSettings } from "../../../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../../../src/runtime.ts";

const LOCAL = "http://127.0.0.1:1/v1";
const SETTINGS: Readonly<Record<string, ProviderSettings>> = {
  openai: { apiKey: "sk-test", models: { "text-embedding-3-large": { price: { input: 0.5, output: 0 } } } },
  mine: { wire: "chat", baseUrl: LOCAL },
  theirs: { wire: "chat", baseUrl: "https://vectors.example/v1", apiKey: "key" },
};
const create = embeddersOf(SETTINGS, systemRuntime());

test.each([
  ["as it is published", "openai/text-embedding-3-small", 0.02],
  ["as the operator has set it, before anything else", "openai/text-embedding-3-large", 0.5],
  ["nothing on this machine", "mine/model", 0],
  ["unknown elsewhere", "theirs/model", null],
])("a model's price is %s: %s", async (_how, ref, usd) => {
  expect((await create(ref)).price?.input ?? null).toBe(usd);
});

test.each([
  ["as the provider says", { prompt_tokens: 7, total_tokens: 7 }, 7],
  ["unknown where it does not say", undefined, null],
  ["unknown where nobody can read it", { prompt_tokens: "many" }, null],
])("how many tokens texts have is %s", async (_how, usage, tokens) => {
  const { baseUrl } = await startVectors(usage);
  const at = { mine: { wire: "chat", baseUrl } } as const;
  const embedder = await embeddersOf(at, systemRuntime())("mine/model");
  const embedded = await embedder.embed(["one text"], AbortSignal.any([]));
  expect(embedded).toEqual({ vectors: [Float32Array.from([0.6, 0.8])], tokens });
});

test("a key that is set meanwhile is used by the next request", async () => {
  const { baseUrl, keys } = await startVectors();
  const providers = liveProviders({ mine: { wire: "chat", baseUrl } });
  providers.setKeys(new Map([["mine", "sk-first"]]));
  const embedder = await embeddersOf(providers.settings, systemRuntime())("mine/model");
  await embedder.embed(["one text"], AbortSignal.any([]));
  providers.setKeys(new Map([["mine", "sk-second"]]));
  await embedder.embed(["one text"], AbortSignal.any([]));
  expect(keys).toEqual(["Bearer sk-first", "Bearer sk-second"]);
});

/** A server that answers every text with the same vector; `keys` are the keys of the requests. */
async function startVectors(usage?: object): Promise<{ readonly baseUrl: string; readonly keys: readonly string[] }> {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization ?? "");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }], usage }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, keys };
}
