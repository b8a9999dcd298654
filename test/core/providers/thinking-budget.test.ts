import { expect, test } from "vitest";
import { anthropicBody } from "../../../src/core/providers/anthropic/anthropic-body.ts";
import { CATALOG } from "../../../src/core/providers/catalog.ts";
import { chatBody } from "../../../src/core/providers/openai/chat-body.ts";
import { responsesBody } from "../../../src/core/providers/openai/responses-body.ts";
import type { ModelRequest } from "../../../src/core/providers/provider.ts";
import { PLAIN } from "../../../src/core/providers/quirks.ts";
import type { Endpoint } from "../../../src/core/providers/wire.ts";
import { user } from "../../support/talk/conversation.ts";

type Asked = Pick<ModelRequest, "effortLevel" | "thinkingBudget">;

function bodies(asked: Asked) {
  const call = (model: string) => ({
    request: { model, system: [], messages: [user("hi")], tools: [], maxTokens: 32_000, ...asked },
    refusedFields: new Set<string>(),
  });
  return {
    byBudget: anthropicBody(call("claude-sonnet-4-5"), endpointOf("anthropic")),
    adaptive: anthropicBody(call("claude-sonnet-5-5"), endpointOf("anthropic")),
    responses: responsesBody(call("gpt-6-sol"), endpointOf("openai")),
    groq: chatBody(call("m"), endpointOf("groq")),
    openrouter: chatBody(call("m"), endpointOf("openrouter")),
    qwen: chatBody(call("m"), endpointOf("qwen")),
    zhipu: chatBody(call("m"), endpointOf("zhipu")),
  };
}

function endpointOf(id: string): Endpoint {
  const quirks = CATALOG.find((provider) => provider.id === id)?.quirks ?? PLAIN;
  return { id, name: id, baseUrl: "http://127.0.0.1:1", apiKey: "key", keyVariable: null, quirks };
}

interface Case {
  readonly asked: Asked;
  /** Thinking tokens on models whose budget is set in tokens; null if thinking is not requested. */
  readonly tokens: number | null;
  readonly effort: string;
  /** Effort in the words of Chat Completions. */
  readonly chat: string;
}

const cases: readonly Case[] = [
  { asked: { effortLevel: "low" }, tokens: null, effort: "low", chat: "low" },
  { asked: { effortLevel: "medium" }, tokens: 5_000, effort: "medium", chat: "medium" },
  { asked: { effortLevel: "high" }, tokens: 10_000, effort: "high", chat: "high" },
  { asked: { effortLevel: "max" }, tokens: 20_000, effort: "max", chat: "high" },
  { asked: { thinkingBudget: 0 }, tokens: null, effort: "low", chat: "low" },
  { asked: { thinkingBudget: 4_000 }, tokens: 4_000, effort: "medium", chat: "medium" },
  { asked: { thinkingBudget: 12_000 }, tokens: 12_000, effort: "high", chat: "high" },
  { asked: { thinkingBudget: 30_000 }, tokens: 30_000, effort: "max", chat: "high" },
  { asked: { effortLevel: "low", thinkingBudget: 12_000 }, tokens: 12_000, effort: "high", chat: "high" },
  { asked: { effortLevel: "max", thinkingBudget: 0 }, tokens: null, effort: "low", chat: "low" },
];

test.each(cases)("$asked is sent to each model in its own format", ({ asked, tokens, effort, chat }) => {
  const { byBudget, adaptive, responses, groq, openrouter, qwen, zhipu } = bodies(asked);
  expect(byBudget.thinking).toEqual(tokens === null ? undefined : { type: "enabled", budget_tokens: tokens });
  expect(byBudget.output_config).toBeUndefined();
  expect(adaptive.thinking).toEqual(tokens === null ? undefined : { type: "adaptive" });
  expect(adaptive.output_config).toEqual({ effort });
  expect(responses.reasoning).toMatchObject({ effort });
  expect(groq).toMatchObject({ reasoning_effort: chat });
  expect(openrouter).toMatchObject({ reasoning: { effort: chat } });
  expect(qwen).toMatchObject({ enable_thinking: tokens !== null });
  expect(zhipu).toMatchObject({ thinking: { type: tokens === null ? "disabled" : "enabled" } });
});

test("without either setting the provider's default applies", () => {
  const { byBudget, adaptive, responses, groq, qwen } = bodies({});
  expect([byBudget.thinking, adaptive.thinking, adaptive.output_config]).toEqual([undefined, undefined, undefined]);
  expect(responses.reasoning?.effort).toBeUndefined();
  expect([groq, qwen].map((body) => JSON.stringify(body))).not.toContainEqual(
    expect.stringMatching(/thinking|effort/u),
  );
});
