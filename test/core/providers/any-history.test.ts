import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ContentBlock, Message } from "../../../src/core/protocol/messages.ts";
import { anthropicBody } from "../../../src/core/providers/anthropic/anthropic-body.ts";
import { CATALOG } from "../../../src/core/providers/catalog.ts";
import { chatBody } from "../../../src/core/providers/openai/chat-body.ts";
import { responsesBody } from "../../../src/core/providers/openai/responses-body.ts";
import { PLAIN } from "../../../src/core/providers/quirks.ts";
import type { Endpoint, WireCall } from "../../../src/core/providers/wire.ts";
import { messagesDialect } from "../../support/model/anthropic-server.ts";
import type { Dialect } from "../../support/model/model-server.ts";
import { chatDialect } from "../../support/model/openai-chat-dialect.ts";
import { responsesDialect } from "../../support/model/openai-responses-dialect.ts";
import { READ_TOOL } from "../../support/talk/conversation.ts";

const words = fc.constantFrom("", " ", "hello", "two\nlines ", "日本語", "</thread_conversation>");
const origin = fc.record({
  provider: fc.constantFrom("anthropic", "openai", "deepseek", "mistral"),
  model: fc.constantFrom("m", "other"),
});
const resultContent = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: words }),
  fc.record({ type: fc.constant("text" as const), text: words, isAdded: fc.constant(true as const) }),
  fc.record({
    type: fc.constant("image" as const),
    mediaType: fc.constant("image/png" as const),
    data: fc.constant("AAAA"),
  }),
  fc.record({
    type: fc.constant("document" as const),
    name: words,
    mediaType: fc.constantFrom("application/pdf", "text/plain"),
    text: words,
  }),
);
const userBlock: fc.Arbitrary<ContentBlock> = fc.oneof(
  resultContent,
  fc.record({
    type: fc.constant("tool_result" as const),
    toolUseId: fc.constantFrom("a", "b", "c", "d"),
    content: fc.array(resultContent, { maxLength: 2 }),
    isError: fc.boolean(),
    narrowsTo: fc.constant(["read"]),
  }),
  fc.record({ type: fc.constant("user_memory_input" as const), text: words }),
  fc.record({ type: fc.constant("system_api_error" as const), code: fc.constant("auth"), text: words }),
);
const thought: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.record({
    type: fc.constant("thinking" as const),
    thinking: words,
    origin,
    signature: fc.constant("sig"),
    opaque: fc.constant({ id: "rs_1", encrypted_content: "sealed", summary: [] }),
  }),
  fc.record({ type: fc.constant("thinking" as const), thinking: words, origin }),
  fc.record({ type: fc.constant("redacted_thinking" as const), data: fc.constant("x"), origin }),
);
const said = fc.record({ type: fc.constant("text" as const), text: words });

/** Histories as crashes, model switches and impatient people leave them; only call ids are unique. */
const history = fc
  .array(
    fc.record({
      role: fc.constantFrom("user" as const, "assistant" as const),
      user: fc.array(userBlock, { maxLength: 4 }),
      assistant: fc.array(fc.oneof(thought, said), { maxLength: 3 }),
      calls: fc.nat({ max: 2 }),
      context: fc.boolean(),
      author: fc.option(fc.record({ id: fc.constantFrom("slack:U1", "slack:U2"), name: words }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map((turns) => {
    const ids = [
      "a",
      "b",
      "c",
      "d",
      "e f",
      "functions.g:0",
      ...Array.from({ length: 20 }, (_, index) => `call_${index}`),
    ];
    return turns.map(({ role, user, assistant, calls, context, author }, index): Message => {
      const called = ids
        .splice(0, calls)
        .map((id): ContentBlock => ({ type: "tool_use", id, name: "read", input: id === "b" ? "text" : {} }));
      const content = role === "user" ? user : [...assistant, ...called];
      return { id: `m${index}`, role, content, context, createdAt: 0, ...(author === undefined ? {} : { author }) };
    });
  });

const wires: readonly { provider: string; dialect: Dialect; body: (call: WireCall, endpoint: Endpoint) => unknown }[] =
  [
    { provider: "anthropic", dialect: messagesDialect, body: anthropicBody },
    { provider: "openai", dialect: responsesDialect, body: responsesBody },
    { provider: "deepseek", dialect: chatDialect, body: chatBody },
    { provider: "mistral", dialect: chatDialect, body: chatBody },
  ];
const headers = { "anthropic-version": "2026-10-21", authorization: "Bearer k", "content-type": "application/json" };

test.each(wires)("$provider accepts any history, without the program's own fields", ({ provider, dialect, body }) => {
  const quirks = CATALOG.find(({ id }) => id === provider)?.quirks ?? PLAIN;
  const endpoint = {
    id: provider,
    name: provider,
    baseUrl: "http://127.0.0.1:1",
    apiKey: "k",
    keyVariable: null,
    quirks,
  };
  fc.assert(
    fc.property(history, (messages) => {
      const request = {
        model: "m",
        system: [{ text: "S", cacheBreakpoint: true }],
        messages,
        tools: [READ_TOOL],
        maxTokens: 1_000,
      };
      const wire = JSON.stringify(body({ request, refusedFields: new Set() }, endpoint));
      expect(dialect.problems(headers, JSON.parse(wire))).toEqual([]);
      expect(wire).not.toMatch(/isAdded|narrowsTo/u);
    }),
    { numRuns: 400 },
  );
});
