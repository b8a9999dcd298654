import { expect, test } from "vitest";
import { CATALOG } from "../../../../src/core/providers/catalog.ts";
import { type ChatMessage, chatBody } from "../../../../src/core/providers/openai/chat-body.ts";
import type { ModelRequest } from "../../../../src/core/providers/provider.ts";
import { PLAIN } from "../../../../src/core/providers/quirks.ts";
import { PIXEL, results, said, user } from "../../../support/talk/conversation.ts";

function body(provider: string, extra: Partial<ModelRequest> = {}) {
  const quirks = CATALOG.find(({ id }) => id === provider)?.quirks ?? PLAIN;
  const endpoint = {
    id: provider,
    name: provider,
    baseUrl: "http://127.0.0.1:1",
    apiKey: "key",
    keyVariable: null,
    quirks,
  };
  const request: ModelRequest = {
    model: "m",
    system: [],
    messages: [user("hi")],
    tools: [],
    maxTokens: 8_000,
    ...extra,
  };
  return chatBody({ request, refusedFields: new Set() }, endpoint);
}

const origin = { provider: "google", model: "m" };
const called = (extra: object = {}) =>
  said("assistant", [{ type: "tool_use", id: "call_1", name: "read", input: { path: "a" }, ...extra }]);

function roles(messages: readonly ChatMessage[]): string[] {
  return messages.map(({ role }) => role);
}

const limits: readonly { provider: string; field: string }[] = [
  { provider: "deepseek", field: "max_tokens" },
  { provider: "groq", field: "max_completion_tokens" },
  { provider: "cerebras", field: "max_completion_tokens" },
];
test.each(limits)("$provider is given its limit as $field", ({ provider, field }) => {
  expect(body(provider)).toHaveProperty(field, 8_000);
});

test.each(["cohere", "mistral"])("%s is not asked for usage in the stream", (provider) => {
  expect(body(provider)).not.toHaveProperty("stream_options");
});

test("Mistral's ids are nine letters and digits, and an assistant speaks between tool and user", () => {
  const { messages } = body("mistral", {
    messages: [user("go"), called(), results({ id: "call_1", text: "A" }), user("and?")],
  });
  expect(roles(messages)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(JSON.stringify(messages)).toMatch(/"tool_call_id":"[A-Za-z0-9]{9}"/);
});

test("Google's thought signature comes back on the call it came with, and only to the model it came from", () => {
  const extra = { google: { thought_signature: "sig" } };
  const messages = [
    user("go"),
    called({ origin, opaque: { extra_content: extra } }),
    results({ id: "call_1", text: "A" }),
  ];
  expect(body("google", { messages }).messages[1]).toMatchObject({ tool_calls: [{ extra_content: extra }] });
  expect(JSON.stringify(body("google", { messages, model: "other" }))).not.toContain("thought_signature");
  expect(JSON.stringify(body("xai", { messages }))).not.toContain("thought_signature");
});

test("reasoning goes back beside calls, empty if there was none, and nowhere else", () => {
  const messages = [
    user("go"),
    called(),
    results({ id: "call_1", text: "A" }),
    said("assistant", [{ type: "text", text: "done" }]),
    user("more"),
  ];
  const sent = body("moonshot", { messages }).messages;
  expect(sent[1]).toHaveProperty("reasoning_content", "");
  expect(sent[3]).not.toHaveProperty("reasoning_content");
});

test("an image in a tool's result follows as a user's message", () => {
  const image = { type: "image", mediaType: "image/png", data: PIXEL } as const;
  const result = said("user", [{ type: "tool_result", toolUseId: "call_1", content: [image], isError: false }]);
  const { messages } = body("xai", { messages: [user("go"), called(), result] });
  expect(roles(messages)).toEqual(["user", "assistant", "tool", "user"]);
  expect(JSON.stringify(messages[3])).toContain(PIXEL);
  expect(JSON.stringify(messages[2])).not.toContain(PIXEL);
});

test("PDFs go as files only where they are taken", () => {
  const messages = [said("user", [{ type: "document", name: "p.pdf", mediaType: "application/pdf", data: "AAAA" }])];
  expect(JSON.stringify(body("openrouter", { messages }))).toContain('"file_data"');
  expect(JSON.stringify(body("groq", { messages }))).toContain("cannot be shown");
});

const thinkers: readonly { provider: string; sent: Record<string, unknown> }[] = [
  { provider: "groq", sent: { reasoning_effort: "high" } },
  { provider: "qwen", sent: { enable_thinking: true } },
  { provider: "zhipu", sent: { thinking: { type: "enabled" }, tool_stream: true } },
  { provider: "openrouter", sent: { reasoning: { effort: "high" } } },
];
test.each(thinkers)("$provider is asked to think in its own way", ({ provider, sent }) => {
  expect(body(provider, { effortLevel: "high" })).toMatchObject(sent);
});
