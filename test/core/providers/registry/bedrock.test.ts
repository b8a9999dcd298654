import { expect, test } from "vitest";
import { createProviderRegistry, type ProviderSettings } from "../../../../src/core/providers/registry/registry.ts";
import type { Fetch } from "../../../../src/core/providers/stall.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { describeWire } from "../../../contracts/wire.ts";
import { text } from "../../../support/model/model-script.ts";
import { startBedrockServer } from "../../../support/program/gateway-servers.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { user } from "../../../support/talk/conversation.ts";

const harness = {
  startServer: () => startBedrockServer("test-key"),
  settings: (url: string) => ({ apiKey: "test-key", baseUrl: url }),
};

describeWire({
  ...harness,
  name: "Bedrock's Anthropic Messages",
  ref: "bedrock/global.anthropic.claude-sonnet-5-5",
  thoughtMark: "sealed",
  optional: { request: { effortLevel: "high" }, field: "output_config" },
});

describeWire({
  ...harness,
  name: "Bedrock's OpenAI Responses",
  ref: "bedrock/us.openai.gpt-5.6-sol",
  thoughtMark: "sealed",
  optional: { request: { temperature: 0.2 }, field: "temperature" },
});

function registry(bedrock: ProviderSettings, fetch: Fetch = globalThis.fetch) {
  return createProviderRegistry({ settings: { bedrock }, runtime: systemRuntime(), log: silentLog, fetch });
}

const routes: readonly { model: string; wire?: "chat"; path: string }[] = [
  { model: "anthropic.claude-opus-5", path: "/anthropic/v1/messages" },
  { model: "eu.anthropic.claude-haiku-4-5-20251001-v1:0", path: "/anthropic/v1/messages" },
  { model: "openai.gpt-5.5", path: "/openai/v1/responses" },
  { model: "openai.gpt-oss-120b-1:0", path: "/openai/v1/chat/completions" },
  { model: "us.deepseek.v3-v1:0", path: "/openai/v1/chat/completions" },
  { model: "openai.gpt-5.5", wire: "chat", path: "/openai/v1/chat/completions" },
];
test.each(routes)("$model goes to $path, with the key as Bearer", async ({ model, wire, path }) => {
  await using server = await startBedrockServer("test-key");
  const own = { ...harness.settings(server.url), ...(wire === undefined ? {} : { wire }) };
  const { provider } = await registry(own).resolve(`bedrock/${model}`);
  const request = { model, system: [], messages: [user("hi")], tools: [], maxTokens: 100, temperature: 0.5 };
  await provider.createMessage(request, new AbortController().signal);
  expect(server.violations).toEqual([]);
  expect(server.requests).toMatchObject([{ path, headers: { authorization: "Bearer test-key" } }]);
});

test("what an open model thinks between tags is no part of its answer", async () => {
  await using server = await startBedrockServer("test-key");
  server.script(() => text("<reasoning>They greet.</reasoning>Hello.", { chunkChars: 4 }));
  const { provider, model } = await registry(harness.settings(server.url)).resolve("bedrock/openai.gpt-oss-120b-1:0");
  const request = { model, system: [], messages: [user("hi")], tools: [], maxTokens: 100 };
  const { content } = await provider.createMessage(request, new AbortController().signal);
  expect(content).toMatchObject([
    { type: "thinking", thinking: "They greet." },
    { type: "text", text: "Hello." },
  ]);
});

test("the region is a part of the root's name", async () => {
  await using server = await startBedrockServer("test-key");
  const root = "https://bedrock-runtime.eu-central-1.amazonaws.com";
  const atHome: Fetch = (input, init) =>
    fetch((input instanceof Request ? input.url : input.toString()).replace(root, server.url), init);
  const models = registry({ apiKey: "test-key", region: "eu-central-1" }, atHome);
  const { provider, model } = await models.resolve("bedrock/eu.anthropic.claude-opus-5-5");
  const request = { model, system: [], messages: [user("hi")], tools: [], maxTokens: 100 };
  await provider.createMessage(request, new AbortController().signal);
  expect(server.requests).toMatchObject([{ path: "/anthropic/v1/messages" }]);
});

test("a model's limits and price are its own wherever it runs; where its region is not listed, the dearest of the others'", async () => {
  const facts = async (model: string) => (await registry({ apiKey: "k", region: "us-east-1" }).resolve(model)).facts;
  const regional = { contextWindow: 200_000, price: { input: 1.1, output: 5.5, cacheRead: 0.11, cacheWrite: 1.375 } };
  expect(await facts("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0")).toMatchObject(regional);
  expect(await facts("bedrock/ca.anthropic.claude-haiku-4-5-20251001-v1:0")).toMatchObject(regional);
  expect(await facts("bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0")).toMatchObject({ price: { input: 1 } });
  expect(await facts("bedrock/anthropic.claude-opus-5")).toMatchObject({
    contextWindow: 1_000_000,
    price: { input: 5.5 },
  });
  expect(await facts("bedrock/us.vendor.unheard-of-v1:0")).toMatchObject({ contextWindow: 128_000, price: null });
});
