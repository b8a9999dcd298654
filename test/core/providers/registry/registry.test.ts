import { afterEach, expect, test, vi } from "vitest";
import { CATALOG, defaultModelFor, PROVIDER_ENVIRONMENT } from "../../../../src/core/providers/catalog.ts";
import { costOf } from "../../../../src/core/providers/provider.ts";
import {
  createProviderRegistry,
  endpointFor,
  type ProviderSettings,
} from "../../../../src/core/providers/registry/registry.ts";
import { singleWire } from "../../../../src/core/providers/registry/wires.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { startAnthropicServer } from "../../../support/model/anthropic-server.ts";
import { startOpenAiServer } from "../../../support/model/openai-server.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { user } from "../../../support/talk/conversation.ts";

function registry(settings: Readonly<Record<string, ProviderSettings>> = {}) {
  return createProviderRegistry({ settings, runtime: systemRuntime(), log: silentLog });
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const defaults: readonly { available: readonly string[]; model: string }[] = [
  { available: [], model: "demo/scripted" },
  { available: ["ollama", "demo"], model: "demo/scripted" },
  { available: ["anthropic"], model: "anthropic/claude-sonnet-5-5" },
  { available: ["openai"], model: "openai/gpt-6.1-sol" },
  { available: ["google", "openai"], model: "openai/gpt-6.1-sol" },
  { available: ["openrouter"], model: "openrouter/anthropic/claude-sonnet-5.5" },
];
test.each(defaults)("with $available the model is $model", ({ available, model }) => {
  expect(defaultModelFor(available)).toBe(model);
});

test("a provider is available with its key, or when it needs none", () => {
  expect(registry().available()).not.toContain("anthropic");
  expect(registry({ anthropic: { apiKey: "k" } }).available()).toContain("anthropic");
  expect(registry().available()).toEqual(expect.arrayContaining(["ollama", "demo"]));
  expect(registry({ azure: { apiKey: "k" } }).available()).not.toContain("azure");
  expect(registry({ azure: { apiKey: "k", baseUrl: "http://127.0.0.1:1" } }).available()).toContain("azure");
  expect(registry({ mine: { wire: "chat", baseUrl: "http://127.0.0.1:1" } }).available()).toContain("mine");
});

const refusals: readonly { ref: string; settings: Record<string, ProviderSettings>; expected: object }[] = [
  {
    ref: "anthropic/claude-opus-5-5",
    settings: {},
    expected: { code: "auth", detail: { keyVariable: "ANTHROPIC_API_KEY" } },
  },
  {
    ref: "google/gemini-3.8-flash",
    settings: {},
    expected: { code: "auth", detail: { keyVariable: "GEMINI_API_KEY" } },
  },
  { ref: "nobody/m", settings: {}, expected: { code: "unknown_provider", detail: { provider: "nobody" } } },
  { ref: "claude-opus-5-5", settings: {}, expected: { code: "unknown_provider" } },
  { ref: "anthropic/", settings: { anthropic: { apiKey: "k" } }, expected: { code: "unknown_provider" } },
  {
    ref: "azure/mine",
    settings: { azure: { apiKey: "k" } },
    expected: { code: "unknown_provider", detail: { reason: expect.stringContaining("AZURE_BASE_URL") } },
  },
  {
    ref: "bedrock/m",
    settings: { bedrock: { apiKey: "k" } },
    expected: { code: "unknown_provider", detail: { reason: expect.stringContaining("AWS_REGION") } },
  },
  {
    ref: "bedrock/m",
    settings: { bedrock: { apiKey: "k", region: "evil.example/" } },
    expected: { code: "unknown_provider", detail: { reason: expect.stringContaining("AWS_REGION") } },
  },
  {
    ref: "copilot/m",
    settings: {},
    expected: { code: "auth", detail: { keyVariable: "COPILOT_GITHUB_TOKEN" } },
  },
];
test.each(refusals)("$ref is refused, naming what to set", async ({ ref, settings, expected }) => {
  await expect(registry(settings).resolve(ref)).rejects.toMatchObject(expected);
});

test("model facts come from the catalogue, a snapshot's from its model, and settings take precedence", async () => {
  const settings = {
    anthropic: {
      apiKey: "k",
      models: {
        "claude-opus-5-5": { contextWindow: 500_000, price: { input: 1, output: 2 } },
        own: { maxOutputTokens: 1_000 },
      },
    },
  };
  const facts = async (model: string) => (await registry(settings).resolve(`anthropic/${model}`)).facts;
  expect(await facts("claude-haiku-4-5-20251001")).toEqual(await facts("claude-haiku-4-5"));
  expect(await facts("claude-opus-5-5")).toEqual({
    contextWindow: 500_000,
    maxOutputTokens: 128_000,
    takesTemperature: false,
    price: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 },
  });
  expect(await facts("own")).toEqual({
    contextWindow: 128_000,
    maxOutputTokens: 1_000,
    price: null,
    isAssumed: true,
  });
});

test("an unknown price makes the cost unknown, the demo's price makes it zero", async () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const price = async (ref: string) => (await registry({ openai: { apiKey: "k" } }).resolve(ref)).facts.price;
  expect(costOf(usage, await price("openai/never-heard"))).toBeNull();
  expect(costOf(usage, await price("demo/scripted"))).toBe(0);
  expect(costOf(usage, await price("openai/gpt-6-sol"))).toBeCloseTo(3);
});

test("every provider has a wire, variables of its own, and a root unless it says it needs one", () => {
  const ids = CATALOG.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(30);
  const rootless = CATALOG.filter(({ baseUrl }) => baseUrl === null).map(({ id }) => id);
  expect(rootless).toEqual(["azure", "venus"]);
  expect(PROVIDER_ENVIRONMENT).toContainEqual({
    id: "google",
    keyVariable: "GEMINI_API_KEY",
    baseUrlVariable: "GOOGLE_BASE_URL",
    regionVariable: null,
  });
  expect(PROVIDER_ENVIRONMENT).toContainEqual({
    id: "ollama",
    keyVariable: null,
    baseUrlVariable: "OLLAMA_BASE_URL",
    regionVariable: null,
  });
});

const wires: readonly { ref: string; start: typeof startAnthropicServer }[] = [
  { ref: "anthropic/claude-sonnet-5-5", start: startAnthropicServer },
  { ref: "openai/gpt-6.1-sol", start: startOpenAiServer },
];
test.each(wires)("$ref: nothing of the process's environment leaks into the SDK", async ({ ref, start }) => {
  const elsewhere = "http://127.0.0.1:9/elsewhere";
  for (const name of ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"]) vi.stubEnv(name, elsewhere);
  for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"])
    vi.stubEnv(name, "leaked-key");
  vi.stubEnv("OPENAI_ORG_ID", "leaked-organisation");
  vi.stubEnv("OPENAI_PROJECT_ID", "leaked-project");
  const server = await start({ key: "own-key" });
  const [id = ""] = ref.split("/");
  const { provider, model } = await registry({ [id]: { apiKey: "own-key", baseUrl: server.url } }).resolve(ref);
  await provider.createMessage(
    { model, system: [], messages: [user("hi")], tools: [], maxTokens: 100 },
    new AbortController().signal,
  );
  expect(JSON.stringify(server.requests[0]?.headers)).not.toContain("leaked");
  await server.close();
});

test("a provider without a key is sent none", async () => {
  const server = await startOpenAiServer();
  const { provider, model } = await registry({ ollama: { baseUrl: server.url } }).resolve("ollama/qwen3");
  await provider.createMessage(
    { model, system: [], messages: [user("hi")], tools: [], maxTokens: 100 },
    new AbortController().signal,
  );
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
  await server.close();
});

test("a failed load of a provider's module is retried with its next call", async () => {
  const endpoint = endpointFor("openai", { apiKey: "k" });
  let tries = 0;
  const quirks = {
    ...endpoint.quirks,
    get auth() {
      tries += 1;
      if (tries === 1) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
      return "bearer" as const;
    },
  };
  const { clock, ids } = systemRuntime();
  const reach = {
    endpoint: { ...endpoint, quirks },
    fetch,
    clock,
    ids,
    log: silentLog,
    answerMs: 1_000,
    own: undefined,
  };
  const wires = singleWire("chat", reach);
  const { signal } = new AbortController();
  await expect(wires.of("m", signal)).rejects.toThrow("too many open files");
  expect(await wires.of("m", signal)).toBe(await wires.of("m", signal));
  expect(tries).toBe(2);
});

test("Anthropic-compatible providers get their own version and Bearer", async () => {
  const server = await startAnthropicServer();
  const { provider, model } = await registry({ minimax: { apiKey: "k", baseUrl: server.url } }).resolve("minimax/m2");
  await provider.createMessage(
    { model, system: [], messages: [user("hi")], tools: [], maxTokens: 100, temperature: 0.5 },
    new AbortController().signal,
  );
  expect(server.violations).toEqual([]);
  expect(server.requests[0]?.headers).toMatchObject({ "anthropic-version": "2023-06-01", authorization: "Bearer k" });
  await server.close();
});
