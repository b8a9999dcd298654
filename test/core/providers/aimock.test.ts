import { LLMock } from "@copilotkit/aimock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { textOf, toolUsesOf } from "../../../src/core/protocol/messages.ts";
import { createProviderRegistry } from "../../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";
import { READ_TOOL, results, said, user } from "../../support/talk/conversation.ts";

/** A third-party mock server, as a second opinion on the three wires. */
let mock: LLMock;

beforeEach(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1" });
  mock.onMessage("hello", { content: "Hi there, colleague." });
  mock.onMessage("read it", { toolCalls: [{ id: "call_1", name: "read", arguments: '{"path":"a.txt"}' }] });
  await mock.start();
});
afterEach(async () => {
  await mock.stop();
});

const wires: readonly { ref: string; path: string }[] = [
  { ref: "anthropic/claude-sonnet-5-5", path: "" },
  { ref: "openai/gpt-6.1-sol", path: "/v1" },
  { ref: "groq/some-model", path: "/v1" },
];
test.each(wires)("$ref: answers, calls and results pass a third-party server", async ({ ref, path }) => {
  const [id = ""] = ref.split("/");
  const settings = { [id]: { apiKey: "k", baseUrl: `${mock.url}${path}` } };
  const registry = createProviderRegistry({ settings, runtime: systemRuntime(), log: silentLog });
  const { provider, model } = await registry.resolve(ref);
  const never = new AbortController().signal;
  const ask = (messages: Parameters<typeof said>[1] | null, words: string) =>
    provider.createMessage(
      {
        model,
        system: [{ text: "Be brief.", cacheBreakpoint: true }],
        messages:
          messages === null
            ? [user(words)]
            : [user(words), said("assistant", messages), results({ id: "call_1", text: "A" }), user("hello")],
        tools: [READ_TOOL],
        maxTokens: 1_000,
      },
      never,
    );
  const answered = await ask(null, "hello");
  expect([answered.stopReason, textOf(answered.content)]).toEqual(["end_turn", "Hi there, colleague."]);
  const called = await ask(null, "read it");
  expect(called.stopReason).toBe("tool_use");
  expect(toolUsesOf(called.content)).toMatchObject([{ name: "read", input: { path: "a.txt" } }]);
  const told = await ask(called.content, "read it");
  expect([told.stopReason, textOf(told.content)]).toEqual(["end_turn", "Hi there, colleague."]);
});
