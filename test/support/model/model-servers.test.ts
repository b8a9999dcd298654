import { expect, test } from "vitest";
import { startAnthropicServer } from "./anthropic-server.ts";
import { hold, httpError, text } from "./model-script.ts";
import type { ModelServer } from "./model-server.ts";
import { startOpenAiServer } from "./openai-server.ts";

/** The servers are worthless if they accept what a provider rejects. */

interface Posting {
  readonly path: string;
  readonly body: object;
  readonly headers?: Record<string, string>;
}

function post(server: ModelServer, { path, body, headers = {} }: Posting): Promise<Response> {
  const usual = { "content-type": "application/json", "anthropic-version": "2023-06-01", authorization: "Bearer k" };
  return fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { ...usual, ...headers },
    body: JSON.stringify(body),
  });
}

const question = { role: "user", content: [{ type: "text", text: "hi" }] };
const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] };
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] };
const mark = { cache_control: { type: "ephemeral" } };
const marked = { type: "text", text: "x", ...mark };

const refusedByAnthropic: readonly { what: string; body: object; says: string }[] = [
  { what: "a call without a result", body: { messages: [question, call, question] }, says: "has no tool_result" },
  { what: "a result without a call", body: { messages: [result] }, says: "has no tool_use" },
  {
    what: "a result behind other content",
    body: { messages: [question, call, { role: "user", content: [...question.content, ...result.content] }] },
    says: "must come first",
  },
  { what: "a repeated call id", body: { messages: [question, call, result, call, result] }, says: "unique" },
  {
    what: "five breakpoints",
    body: { system: [marked, marked, marked, marked, marked], messages: [question] },
    says: "maximum of 4",
  },
  {
    what: "empty text",
    body: { messages: [{ role: "user", content: [{ type: "text", text: " " }] }] },
    says: "non-empty",
  },
  { what: "two users in a row", body: { messages: [question, question] }, says: "alternate" },
  {
    what: "an assistant at the end",
    body: { messages: [question, { role: "assistant", content: [{ type: "text", text: "a" }] }] },
    says: "prefill",
  },
  {
    what: "no room beside thinking",
    body: { messages: [question], max_tokens: 1024, thinking: { type: "enabled", budget_tokens: 1024 } },
    says: "greater than",
  },
  { what: "no max_tokens", body: { messages: [question], max_tokens: undefined }, says: "max_tokens" },
  { what: "an unknown field", body: { messages: [question], prompt: "x" }, says: "prompt" },
];
test.each(refusedByAnthropic)("the Anthropic server refuses $what", async ({ body, says }) => {
  const server = await startAnthropicServer();
  const answer = await post(server, {
    path: "/v1/messages",
    body: { model: "m", max_tokens: 10, stream: true, ...body },
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(says);
  expect(server.violations.join()).toContain(says);
  await server.close();
});

test("the Anthropic server wants a version, credentials, and no sampling from new clients", async () => {
  const server = await startAnthropicServer({ key: "k" });
  const path = "/v1/messages";
  const body = { model: "m", max_tokens: 10, stream: true, messages: [question], temperature: 0.5 };
  expect((await post(server, { path, body, headers: { authorization: "Bearer wrong" } })).status).toBe(401);
  expect((await post(server, { path, body, headers: { "anthropic-version": "2026-10-21" } })).status).toBe(400);
  expect((await post(server, { path, body })).status).toBe(200);
  await server.close();
});

const chatCall = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
};
const refusedByOpenAi: readonly { what: string; path: string; body: object }[] = [
  {
    what: "a chat call without its result",
    path: "/chat/completions",
    body: { max_tokens: 10, messages: [{ role: "user", content: "hi" }, chatCall, { role: "user", content: "and?" }] },
  },
  {
    what: "a chat result without its call",
    path: "/chat/completions",
    body: { max_tokens: 10, messages: [{ role: "tool", tool_call_id: "a", content: "x" }] },
  },
  {
    what: "two limits",
    path: "/chat/completions",
    body: { max_tokens: 10, max_completion_tokens: 10, messages: [{ role: "user", content: "hi" }] },
  },
  {
    what: "a stored response",
    path: "/responses",
    body: {
      store: true,
      max_output_tokens: 100,
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }],
    },
  },
  {
    what: "an output without its call",
    path: "/responses",
    body: {
      store: false,
      max_output_tokens: 100,
      input: [{ type: "function_call_output", call_id: "a", output: "x" }],
    },
  },
  {
    what: "reasoning that leads to nothing",
    path: "/responses",
    body: {
      store: false,
      max_output_tokens: 100,
      input: [{ type: "reasoning", id: "r", summary: [], encrypted_content: "x" }],
    },
  },
];
test.each(refusedByOpenAi)("the OpenAI server refuses $what", async ({ path, body }) => {
  const server = await startOpenAiServer();
  expect((await post(server, { path, body: { model: "m", stream: true, ...body } })).status).toBe(400);
  expect(server.violations).not.toEqual([]);
  await server.close();
});

test("a gate holds an answer until it is released, and errors carry their headers", async () => {
  const server = await startAnthropicServer();
  const gate = hold();
  server.script((_, index) =>
    index === 0 ? [text("a"), gate.part, text("b")] : httpError(429, "rate_limit_error", "slow").after(3),
  );
  const path = "/v1/messages";
  const body = { model: "m", max_tokens: 10, stream: true, messages: [question] };
  const answer = await post(server, { path, body });
  await gate.reached;
  gate.release();
  expect(await answer.text()).toContain("message_stop");
  expect(await (await server.request(0)).ended).toBe("complete");
  const refused = await post(server, { path, body });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3"]);
  await server.close();
});
