import { expect, test } from "vitest";
import { createModelChoice } from "../../../../src/core/providers/models/model-choice.ts";
import { createProviderRegistry, type ProviderSettings } from "../../../../src/core/providers/registry.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { silentLog } from "../../../support/silent-log.ts";

function choice(settings: Readonly<Record<string, ProviderSettings>>) {
  return createModelChoice(createProviderRegistry({ settings, runtime: systemRuntime(), log: silentLog }), settings);
}

test("models of providers with a key can be chosen, and those that the operator lists; the demo only without any", () => {
  const list = choice({
    anthropic: { apiKey: "k" },
    house: { baseUrl: "http://127.0.0.1:1/v1", wire: "chat", models: { big: {} } },
  }).list();
  expect(list).toEqual(expect.arrayContaining(["anthropic/claude-opus-5-5", "house/big"]));
  expect(list.filter((ref) => /^(openai|demo)\//.test(ref))).toEqual([]);
});

test("gateways have models to choose from, too, once they can be used", () => {
  const list = choice({ bedrock: { apiKey: "k", region: "eu-central-1" }, copilot: { apiKey: "k" } }).list();
  expect(list).toEqual(
    expect.arrayContaining(["bedrock/global.anthropic.claude-sonnet-5-5", "copilot/claude-sonnet-5.5"]),
  );
  expect(choice({ bedrock: { apiKey: "k" } }).list()).toEqual([]);
});

test.each([
  ["anthropic/claude-opus-5-5", null],
  ["anthropic/some-new-model", null],
  ["openai/gpt-6-sol", "OPENAI_API_KEY"],
  ["antropic/claude-opus-5-5", "I cannot use `antropic/claude-opus-5-5`: no provider is called antropic."],
  ["claude-opus-5-5", "I cannot use `claude-opus-5-5`: a model is named provider/model."],
])("%s: what speaks against it", async (ref, problem) => {
  const found = await choice({ anthropic: { apiKey: "k" } }).problemWith(ref);
  expect(problem === null ? found : found?.includes(problem)).toBe(problem === null ? null : true);
});

test("a model's window is the configured one, else what is known of it; none when it cannot be used", async () => {
  const models = choice({ anthropic: { apiKey: "k" } });
  expect(await models.windowOf({ model: "anthropic/claude-haiku-5-5", contextWindow: 9_000 })).toBe(9_000);
  expect(await models.windowOf({ model: "anthropic/claude-haiku-5-5" })).toBe(100_000);
  expect(await models.windowOf({ model: "nowhere/x" })).toBeNull();
});
