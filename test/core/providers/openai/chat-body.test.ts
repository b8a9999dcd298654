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

test("Google's thought signature is returned with its call, and only to the same model", () => {
  const extra = { google: { thought_signature: "sig" } };
  const messages = [
    user("go"),
    called({ origin, opaque: { extra_content: extra } }),
    results({ id: "call_1", text: "A" }),
  ];
  expect(body("google", { messages }).messages[1]).toMatchObject({ tool_calls: [{ extra_content: extra }] });
  expect(JSON.stringify(body("google", { messages, model: "other" }))).not.toContain("thought_signature");
  expect(JSON.stringify(body("google", { messages, model: "gemini-3.8-flash" }))).not.toContain('"sig"');
  expect(JSON.stringify(body("xai", { messages }))).not.toContain("thought_signature");
});

test.each(["openrouter", "novita"])("data that %s sent with a call is returned with it", (provider) => {
  const extra = { google: { thought_signature: "sig" } };
  const details = [{ type: "reasoning.encrypted", data: "sealed" }];
  const by = { ...origin, provider };
  const turn = said("assistant", [
    { type: "thinking", thinking: "", origin: by, opaque: { reasoning_details: details } },
    { type: "tool_use", id: "call_1", name: "read", input: {}, origin: by, opaque: { extra_content: extra } },
  ]);
  const { messages } = body(provider, { messages: [user("go"), turn, results({ id: "call_1", text: "A" })] });
  expect(messages[1]).toMatchObject({ reasoning_details: details, tool_calls: [{ extra_content: extra }] });
});

test("Google is told of calls that another model made that they have no signature, once for each turn", () => {
  const skip = { extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } };
  const two = ["call_1", "call_2"].map((id) => ({ type: "tool_use", id, name: "read", input: {} }) as const);
  const messages = [user("go"), said("assistant", [...two]), results({ id: "call_1", text: "A" })];
  const calls = (model: string) => body("google", { messages, model }).messages[1];
  expect(calls("gemini-3.8-flash")).toMatchObject({ tool_calls: [skip, { id: "call_2" }] });
  expect(JSON.stringify(calls("gemini-3.8-flash")).match(/extra_content/g)).toHaveLength(1);
  expect(JSON.stringify(calls("gemini-2.5-pro"))).not.toContain("extra_content");
});

test("Copilot's reasoning is returned only with its opaque data", () => {
  const thought = (opaque: object) =>
    said("assistant", [
      { type: "thinking", thinking: "hm", origin: { provider: "copilot", model: "m" }, opaque },
      { type: "tool_use", id: "call_1", name: "read", input: {} },
    ]);
  const sent = (opaque: object) => body("copilot", { messages: [user("go"), thought(opaque)] }).messages[1];
  expect(sent({ reasoning_opaque: "sealed" })).toMatchObject({ reasoning_text: "hm", reasoning_opaque: "sealed" });
  expect(JSON.stringify(sent({}))).not.toContain("reasoning_");
});

test("call ids of a compatible server are shortened to OpenAI's limit", () => {
  const id = `call_${"x".repeat(60)}`;
  const messages = [user("go"), called({ id }), results({ id, text: "A" })];
  const [, call = ""] = /"tool_calls":\[{"id":"([^"]*)"/.exec(JSON.stringify(body("azure", { messages }))) ?? [];
  expect(call).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
  expect(JSON.stringify(body("azure", { messages }))).toContain(`"tool_call_id":"${call}"`);
});

test("reasoning goes back with every answer to DeepSeek, beside calls alone to Moonshot, empty if there was none", () => {
  const messages = [
    user("go"),
    called(),
    results({ id: "call_1", text: "A" }),
    said("assistant", [{ type: "text", text: "done" }]),
    user("more"),
  ];
  const sent = body("deepseek", { messages }).messages;
  expect(sent[1]).toHaveProperty("reasoning_content", "");
  expect(sent[3]).toHaveProperty("reasoning_content", "");
  const moonshot = body("moonshot", { messages }).messages;
  expect(moonshot[1]).toHaveProperty("reasoning_content", " ");
  expect(moonshot[3]).not.toHaveProperty("reasoning_content");
});

test("an image in a tool's result follows as a user's message", () => {
  const image = { type: "image", mediaType: "image/png", data: PIXEL } as const;
  const result = said("user", [{ type: "tool_result", toolUseId: "call_1", content: [image], isError: false }]);
  const { messages } = body("xai", { messages: [user("go"), called(), result] });
  expect(roles(messages)).toEqual(["user", "assistant", "tool", "user"]);
  expect(JSON.stringify(messages[3])).toContain(PIXEL);
  expect(JSON.stringify(messages[2])).not.toContain(PIXEL);
});

test("PDFs are sent as files only to providers that accept them", () => {
  const messages = [said("user", [{ type: "document", name: "p.pdf", mediaType: "application/pdf", data: "AAAA" }])];
  expect(JSON.stringify(body("openrouter", { messages }))).toContain('"file_data"');
  expect(JSON.stringify(body("groq", { messages }))).toContain("cannot be shown");
});

test("a PDF's text is sent to providers that do not accept the file", () => {
  const pdf = {
    type: "document",
    name: "p.pdf",
    mediaType: "application/pdf",
    data: "AAAA",
    text: "Two nodes",
  } as const;
  const messages = [said("user", [pdf])];
  expect(JSON.stringify(body("openrouter", { messages }))).not.toContain("Two nodes");
  expect(JSON.stringify(body("groq", { messages }))).toContain("Two nodes");
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
