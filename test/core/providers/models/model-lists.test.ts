import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createModelChoice } from "../../../../src/core/budget/model-choice.ts";
import { CATALOG } from "../../../../src/core/providers/catalog.ts";
import { knownProvider } from "../../../../src/core/providers/models/models.ts";
import { createProviderRegistry, type ProviderSettings } from "../../../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

/** Answers of the server by path; any other path is a 404. `asked` holds the requested paths in order. */
let answers: Readonly<Record<string, unknown>> = {};
const asked: string[] = [];
let root = "";
const server = createServer((request, response) => {
  const path = (request.url ?? "").replace(/\?.*/, "");
  asked.push(path);
  const answer = answers[path];
  response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer ?? { error: { message: "not here" } }));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address !== null && typeof address === "object") root = `http://127.0.0.1:${address.port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  asked.length = 0;
});

const openai = (...items: readonly object[]) => ({ object: "list", data: items });
const id = (name: string, more: object = {}) => ({ id: name, object: "model", created: 1_790_000_000, ...more });
/** A model missing from the built-in data, so that all facts about it are the provider's own. */
const NEW = "vendor/newest-9";

interface Row {
  readonly provider: string;
  /** The provider's answers to `GET …/models` and to further requests, by path. */
  readonly lists: Readonly<Record<string, unknown>>;
  /** A model of that list, and the description that people read. */
  readonly listed: readonly [model: string, about: string];
}

const plain = (provider: string, item: object, about: string): Row => ({
  provider,
  lists: { "/v1/models": openai(item, id("text-embedding-3-large")) },
  listed: [NEW, about],
});
const silent = (provider: string): Row => plain(provider, id(NEW), "window unknown · price unknown");

const ROWS: readonly Row[] = [
  {
    provider: "anthropic",
    lists: {
      "/v1/v1/models": {
        data: [{ type: "model", id: NEW, display_name: "New", max_input_tokens: 500_000, max_tokens: 64_000 }],
        has_more: false,
        first_id: NEW,
        last_id: NEW,
      },
    },
    listed: [NEW, "500,000 tokens · price unknown"],
  },
  silent("openai"),
  {
    provider: "google",
    lists: { "/v1/models": openai(id("models/gemini-9-flash"), id("models/gemini-embedding-9")) },
    listed: ["gemini-9-flash", "window unknown · price unknown"],
  },
  silent("azure"),
  {
    provider: "bedrock",
    lists: { "/v1/openai/v1/models": openai(id(NEW)) },
    listed: [NEW, "window unknown · price unknown"],
  },
  silent("deepseek"),
  plain(
    "mistral",
    id(NEW, { max_context_length: 131_072, capabilities: { completion_chat: true } }),
    "131,072 tokens · price unknown",
  ),
  silent("xai"),
  plain(
    "openrouter",
    id(NEW, {
      context_length: 400_000,
      pricing: { prompt: "0.000002", completion: "0.00001" },
      top_provider: { max_completion_tokens: 9_000 },
    }),
    "400,000 tokens · $2.00 in, $10.00 out",
  ),
  plain("groq", id(NEW, { context_window: 131_072, max_completion_tokens: 32_768 }), "131,072 tokens · price unknown"),
  {
    provider: "together",
    lists: {
      "/v1/models": [
        id(NEW, { type: "chat", context_length: 262_144, pricing: { input: 0.5, output: 1.5, hourly: 0 } }),
        id("vendor/pictures", { type: "image" }),
      ],
    },
    listed: [NEW, "262,144 tokens · $0.50 in, $1.50 out"],
  },
  plain("fireworks", id(NEW, { context_length: 163_840, supports_chat: true }), "163,840 tokens · price unknown"),
  silent("codex"),
  {
    provider: "cohere",
    lists: { "/v1/models": { models: [{ name: NEW, endpoints: ["chat"], context_length: 256_000 }] } },
    listed: [NEW, "256,000 tokens · price unknown"],
  },
  silent("perplexity"),
  {
    provider: "minimax",
    lists: { "/v1/v1/models": { data: [{ type: "model", id: NEW, display_name: "New" }], has_more: false } },
    listed: [NEW, "window unknown · price unknown"],
  },
  silent("qwen"),
  silent("zhipu"),
  plain("moonshot", id(NEW, { context_length: 262_144, supports_reasoning: true }), "262,144 tokens · price unknown"),
  silent("siliconflow"),
  silent("venus"),
  plain(
    "venice",
    id(NEW, {
      type: "text",
      model_spec: {
        availableContextTokens: 65_536,
        pricing: { input: { usd: 0.7, diem: 7 }, output: { usd: 2.8, diem: 28 } },
      },
    }),
    "65,536 tokens · $0.70 in, $2.80 out",
  ),
  silent("nebius"),
  plain(
    "novita",
    id(NEW, { context_size: 98_304, input_token_price_per_m: 2_700, output_token_price_per_m: 11_000 }),
    "98,304 tokens · $0.27 in, $1.10 out",
  ),
  silent("ovhcloud"),
  silent("cerebras"),
  {
    provider: "ollama",
    lists: {
      "/v1/models": openai(id(NEW, { owned_by: "library" }), id("sleeping:8b")),
      "/api/ps": { models: [{ name: NEW, model: NEW, size: 5_137_025_024, context_length: 4_096 }] },
    },
    listed: [NEW, "4,096 tokens · costs nothing"],
  },
  {
    provider: "lmstudio",
    lists: {
      "/v1/models": openai(id(NEW), id("text-embedding-nomic")),
      "/api/v0/models": openai(
        id(NEW, { type: "llm", state: "loaded", max_context_length: 131_072, loaded_context_length: 8_192 }),
      ),
    },
    listed: [NEW, "8,192 tokens · costs nothing"],
  },
  plain("vllm", id(NEW, { owned_by: "vllm", max_model_len: 32_768 }), "32,768 tokens · costs nothing"),
];

function office(provider: string) {
  const own: ProviderSettings = { apiKey: "k", baseUrl: `${root}/v1`, region: "eu-central-1" };
  const settings = { [provider]: own };
  const runtime = { ...systemRuntime(), clock: new ManualClock() };
  const registry = createProviderRegistry({ settings, runtime, log: silentLog });
  return { registry, clock: runtime.clock, models: createModelChoice(registry, settings, {}) };
}

test.each(ROWS)("$provider: its model list is parsed", async ({ provider, lists, listed: [model, about] }) => {
  answers = lists;
  const { models } = office(provider);
  const offers = (await models.list()).filter(({ ref }) => ref.startsWith(`${provider}/`));
  expect(offers).toContainEqual({ ref: `${provider}/${model}`, about });
  expect(offers.filter(({ ref }) => /embed|pictures/.test(ref))).toEqual([]);
});

test("every provider that ships is in the table; Copilot, whose list is asked with a token of its own, is in copilot.test.ts", () => {
  expect(ROWS.map(({ provider }) => provider)).toEqual(
    CATALOG.map(({ id }) => id).filter((each) => each !== "copilot"),
  );
});

test.each(CATALOG)("$id: windows and prices with a source and a day, or in words why not", async ({ id: provider }) => {
  const known = knownProvider(provider);
  if (known?.models === undefined) {
    expect(known?.local === true || (known?.unknown ?? "").length > 10).toBe(true);
    return;
  }
  expect(known.source).toMatch(/^https:\/\//);
  expect(known.asOf).toMatch(/^2026-\d\d-\d\d$/);
  const [newest = ""] = Object.keys(known.models);
  expect(await office(provider).models.about(`${provider}/${newest}`)).toMatch(
    /^It reads [\d,]+ tokens.* and writes [\d,]+; \$[\d.]+ in, \$[\d.]+ out per million \(as of 2026-\d\d-\d\d\)/,
  );
});

test("a list is requested at most once an hour, after a failure once a minute, and never to resolve a model", async () => {
  answers = { "/v1/models": openai(id(NEW, { max_model_len: 32_768 })) };
  const { registry, models, clock } = office("vllm");
  expect((await registry.resolve(`vllm/${NEW}`)).facts).toMatchObject({ contextWindow: 128_000, isAssumed: true });
  expect(asked).toEqual([]);
  await Promise.all([models.list(), models.list()]);
  expect(asked).toEqual(["/v1/models"]);
  expect((await registry.resolve(`vllm/${NEW}`)).facts).toEqual({
    contextWindow: 32_768,
    maxOutputTokens: 8_000,
    price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  });
  await clock.advance(3_599_000);
  await models.list();
  expect(asked).toHaveLength(1);
  answers = {};
  await clock.advance(2_000);
  await models.list();
  await models.list();
  expect(asked).toHaveLength(2);
  await clock.advance(61_000);
  await models.list();
  expect(asked).toHaveLength(3);
});
