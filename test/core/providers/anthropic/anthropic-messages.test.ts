import { expect, test } from "vitest";
import { createProviderRegistry } from "../../../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { describeWire } from "../../../contracts/wire.ts";
import { startAnthropicServer } from "../../../support/model/anthropic-server.ts";
import { redactedThinking, text, toolUse } from "../../../support/model/model-script.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { READ_TOOL, results, said, user } from "../../../support/talk/conversation.ts";

describeWire({
  name: "Anthropic Messages",
  ref: "anthropic/claude-sonnet-5-5",
  startServer: () => startAnthropicServer({ key: "test-key" }),
  settings: (url) => ({ apiKey: "test-key", baseUrl: url }),
  thoughtMark: "sealed",
  optional: { request: { effortLevel: "high" }, field: "output_config" },
});

test("redacted thinking blocks are returned to Anthropic unchanged", async () => {
  const server = await startAnthropicServer();
  server.script((_, index) => (index === 0 ? [redactedThinking("sealed"), toolUse("read", {}, "call_1")] : text("ok")));
  const settings = { anthropic: { apiKey: "k", baseUrl: server.url } };
  const registry = createProviderRegistry({ settings, runtime: systemRuntime(), log: silentLog });
  const { provider, model } = await registry.resolve("anthropic/claude-sonnet-5-5");
  const ask = (messages: Parameters<typeof provider.createMessage>[0]["messages"]) =>
    provider.createMessage(
      { model, system: [], messages, tools: [READ_TOOL], maxTokens: 100 },
      new AbortController().signal,
    );
  const question = user("go");
  const { content } = await ask([question]);
  await ask([question, said("assistant", content), results({ id: "call_1", text: "A" })]);
  expect(server.violations).toEqual([]);
  expect((await server.request(1)).body).toMatchObject({
    messages: [{}, { content: [{ type: "redacted_thinking", data: "sealed" }, { type: "tool_use" }] }, {}],
  });
  await server.close();
});
