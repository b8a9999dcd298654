import { expect, test } from "vitest";
import type { BudgetSettings } from "../../../src/core/budget/limits.ts";
import { createModelChoice } from "../../../src/core/budget/model-choice.ts";
import { createProviderRegistry, type ProviderSettings } from "../../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";

/** No provider answers, so only facts that are known offline remain. */
const unreachable = () => Promise.reject(new TypeError("fetch failed"));

function choice(settings: Readonly<Record<string, ProviderSettings>>, budgets: BudgetSettings = {}) {
  const registry = createProviderRegistry({ settings, runtime: systemRuntime(), log: silentLog, fetch: unreachable });
  return createModelChoice(registry, settings, budgets);
}

async function refs(settings: Readonly<Record<string, ProviderSettings>>): Promise<string[]> {
  return (await choice(settings).list()).map(({ ref }) => ref);
}

test("models of providers with a key and models listed by the operator can be chosen; the demo model only without any other", async () => {
  const list = await refs({
    anthropic: { apiKey: "k" },
    house: { baseUrl: "http://127.0.0.1:1/v1", wire: "chat", models: { big: {} } },
  });
  expect(list).toEqual(expect.arrayContaining(["anthropic/claude-opus-5-5", "house/big"]));
  expect(list.filter((ref) => /^(openai|demo)\//.test(ref))).toEqual([]);
});

test("models of gateways can be chosen once a gateway is usable", async () => {
  const list = await refs({ bedrock: { apiKey: "k", region: "eu-central-1" }, copilot: { apiKey: "k" } });
  expect(list).toEqual(
    expect.arrayContaining(["bedrock/global.anthropic.claude-sonnet-5-5", "copilot/claude-sonnet-5.5"]),
  );
  expect((await refs({ bedrock: { apiKey: "k" } })).filter((ref) => ref.startsWith("bedrock/"))).toEqual([]);
});

test.each([
  ["anthropic/claude-opus-5-5", null],
  ["anthropic/some-new-model", null],
  ["openai/gpt-6-sol", "OPENAI_API_KEY"],
  ["antropic/claude-opus-5-5", "I cannot use `antropic/claude-opus-5-5`: no provider is called antropic."],
  ["claude-opus-5-5", "I cannot use `claude-opus-5-5`: a model is named provider/model."],
])("%s: why the model cannot be chosen", async (ref, problem) => {
  const found = await choice({ anthropic: { apiKey: "k" } }).problemWith(ref);
  expect(problem === null ? found : found?.includes(problem)).toBe(problem === null ? null : true);
});

test("a model's context window is the configured or the known one, and null if the model is unusable", async () => {
  const models = choice({ anthropic: { apiKey: "k" } });
  expect(await models.windowOf({ model: "anthropic/claude-haiku-5-5", contextWindow: 9_000 })).toBe(9_000);
  expect(await models.windowOf({ model: "anthropic/claude-haiku-5-5" })).toBe(100_000);
  expect(await models.windowOf({ model: "nowhere/x" })).toBeNull();
});

test("with a dollar limit a model without a price cannot be chosen, and the message names the setting", async () => {
  const settings = {
    anthropic: { apiKey: "k" },
    house: { baseUrl: "https://models.house.example/v1", wire: "chat" },
  } as const;
  const models = choice(settings, { dayUsd: 5 });
  expect(await models.problemWith("anthropic/claude-opus-5-5")).toBeNull();
  expect(await models.problemWith("house/big")).toBe(
    'The price of `house/big` is unknown, so the dollar limit for everything today (UTC) can\'t be enforced. An operator can set it in `providers.house.models`: { "big": { "price": { "input": …, "output": … } } }, or limit tokens with `budgets.dayTokens`.',
  );
  expect(await choice(settings, { dayUsd: 5, dayTokens: 9_000 }).problemWith("house/big")).toBeNull();
  expect(await choice(settings).problemWith("house/big")).toBeNull();
  expect(await choice(settings).problemWith("house/big", { maxBudgetUsd: 1 })).toContain("for this run");
  const priced = { ...settings, house: { ...settings.house, models: { big: { price: { input: 1, output: 2 } } } } };
  expect(await choice(priced, { dayUsd: 5 }).problemWith("house/big")).toBeNull();
});
