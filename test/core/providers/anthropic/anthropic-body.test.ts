import { expect, test } from "vitest";
import { anthropicBody } from "../../../../src/core/providers/anthropic/anthropic-body.ts";
import { CATALOG } from "../../../../src/core/providers/catalog.ts";
import type { ModelRequest } from "../../../../src/core/providers/provider.ts";
import { PLAIN } from "../../../../src/core/providers/quirks.ts";
import type { Endpoint } from "../../../../src/core/providers/wire.ts";
import { READ_TOOL, results, said, user } from "../../../support/talk/conversation.ts";

const endpoint: Endpoint = {
  id: "anthropic",
  name: "Anthropic",
  baseUrl: "http://127.0.0.1:1",
  apiKey: "key",
  keyVariable: "ANTHROPIC_API_KEY",
  quirks: CATALOG.find(({ id }) => id === "anthropic")?.quirks ?? PLAIN,
};

function body(extra: Partial<ModelRequest>) {
  const request: ModelRequest = {
    model: "claude-sonnet-5-5",
    system: [],
    messages: [user("hi")],
    tools: [],
    maxTokens: 8_000,
    ...extra,
  };
  return anthropicBody({ request, refusedFields: new Set() }, endpoint);
}

test("breakpoints stand after marked system parts and the newest message, four at most", () => {
  const system = ["a", "b", "c", "d", "e"].map((text) => ({ text, cacheBreakpoint: text !== "e" }));
  const { system: blocks, messages } = body({
    system,
    messages: [user("one"), said("assistant", [{ type: "text", text: "two" }]), user("three")],
  });
  const marked = Array.isArray(blocks) ? blocks.map((block) => block.cache_control !== undefined) : [];
  expect(marked).toEqual([false, true, true, true, false]);
  expect(messages.map((message) => JSON.stringify(message).includes("cache_control"))).toEqual([false, false, true]);
});

test("the bytes before the newest message are the same from turn to turn, breakpoints apart", () => {
  const call = said("assistant", [{ type: "tool_use", id: "call_1", name: "read", input: { path: "a" } }]);
  const history = [
    user("one", { author: { id: "slack:U1", name: "Ana" } }),
    call,
    results({ id: "call_1", text: "A" }),
  ];
  const later = [
    ...history,
    said("assistant", [{ type: "text", text: "ok" }]),
    user("more", { author: { id: "slack:U2", name: "Ben" } }),
  ];
  const plain = (messages: unknown) => JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', "");
  const before = plain(body({ messages: history }).messages);
  const after = plain(body({ messages: later }).messages);
  expect(after.startsWith(before.slice(0, -1))).toBe(true);
});

const thinkers: readonly { model: string; expected: unknown }[] = [
  { model: "claude-sonnet-4-5", expected: { type: "enabled", budget_tokens: 5_000 } },
  { model: "claude-sonnet-4-5-20250929", expected: { type: "enabled", budget_tokens: 5_000 } },
  { model: "claude-haiku-4-5-20251001", expected: { type: "enabled", budget_tokens: 5_000 } },
  { model: "us.anthropic.claude-opus-4-5-20251101-v1:0", expected: { type: "enabled", budget_tokens: 5_000 } },
  { model: "claude-sonnet-4.5", expected: { type: "enabled", budget_tokens: 5_000 } },
  { model: "claude-opus-4-6", expected: { type: "adaptive" } },
  { model: "global.anthropic.claude-opus-4-6-v1", expected: { type: "adaptive" } },
  { model: "claude-sonnet-5-5", expected: { type: "adaptive" } },
];
test.each(thinkers)("$model is asked to think in its own way", ({ model, expected }) => {
  expect(body({ model, thinkingBudget: 5_000, effortLevel: "medium" }).thinking).toEqual(expected);
});

test("a budget that leaves no room to answer is cut, and none is sent when none is left", () => {
  const model = "claude-sonnet-4-5";
  expect(body({ model, thinkingBudget: 20_000, maxTokens: 4_000 }).thinking).toEqual({
    type: "enabled",
    budget_tokens: 3_999,
  });
  expect(body({ model, thinkingBudget: 20_000, maxTokens: 512 }).thinking).toBeUndefined();
  expect(body({ model, thinkingBudget: 0 }).thinking).toBeUndefined();
});

test("a temperature is 1 at most, and none is sent beside thinking, which takes none", () => {
  expect(body({ temperature: 0.5 })).toHaveProperty("temperature", 0.5);
  expect(body({ temperature: 1.5 })).toHaveProperty("temperature", 1);
  expect(body({ temperature: 0.5, thinkingBudget: 5_000 })).not.toHaveProperty("temperature");
});

test("long and strange tool ids are made fit, alike in call and result", () => {
  const id = `functions.read:0 ${"x".repeat(80)}`;
  const { messages } = body({
    tools: [READ_TOOL],
    messages: [
      user("go"),
      said("assistant", [{ type: "tool_use", id, name: "read", input: {} }]),
      results({ id, text: "A" }),
    ],
  });
  const sent = JSON.stringify(messages);
  const [, called = ""] = /"type":"tool_use","id":"([^"]*)"/.exec(sent) ?? [];
  expect(called).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(sent).toContain(`"tool_use_id":"${called}"`);
});

test("a document carries where it is from", () => {
  const document = {
    type: "document" as const,
    name: "a.txt",
    mediaType: "text/plain",
    text: "x",
    context: "notes/a.txt",
  };
  const { messages } = body({ messages: [{ ...user("see"), content: [document] }] });
  expect(messages[0]?.content).toMatchObject([{ type: "document", title: "a.txt", context: "notes/a.txt" }]);
});
