import { expect, test } from "vitest";
import { readableErrors } from "../../../src/core/providers/error-bodies.ts";
import type { WireName } from "../../../src/core/providers/quirks.ts";
import { createProviderRegistry } from "../../../src/core/providers/registry.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";
import { said, user } from "../../support/talk/conversation.ts";

/** Answers as some compatible providers write them, which OpenAI itself never does. */
async function answerWith(respond: (body: string) => Response, messages = [user("hi")], wire: WireName = "chat") {
  const registry = createProviderRegistry({
    settings: { local: { wire, baseUrl: "http://127.0.0.1:1/v1" } },
    runtime: systemRuntime(),
    log: silentLog,
    fetch: async (_, init) => respond(typeof init?.body === "string" ? init.body : ""),
  });
  const { provider, model } = await registry.resolve("local/m");
  const request = { model, system: [], messages, tools: [], maxTokens: 100, temperature: 0.5 };
  return provider.createMessage(request, new AbortController().signal);
}

function answerTo(chunks: readonly unknown[], messages = [user("hi")]) {
  const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
  return answerWith(() => new Response(body, { headers: { "content-type": "text/event-stream" } }), messages);
}

const delta = (value: object, finish_reason: string | null = null) => ({ choices: [{ delta: value, finish_reason }] });
const call = (fields: object, args: string, name?: string) =>
  delta({ tool_calls: [{ ...fields, function: { arguments: args, ...(name === undefined ? {} : { name }) } }] });

const oddities: readonly { how: string; chunks: readonly unknown[] }[] = [
  {
    how: "give every call the index 0",
    chunks: [call({ index: 0, id: "a" }, '{"n":1}', "one"), call({ index: 0, id: "b" }, '{"n":2}', "two")],
  },
  {
    how: "leave the index out",
    chunks: [call({ id: "a" }, '{"n"', "one"), call({}, ":1}"), call({ id: "b" }, '{"n":2}', "two")],
  },
  { how: "send no ids", chunks: [call({ index: 0 }, '{"n":1}', "one"), call({ index: 1 }, '{"n":2}', "two")] },
  {
    how: "count the index on within one call",
    chunks: [
      call({ index: 0, id: "a" }, "", "one"),
      call({ index: 1 }, '{"n"'),
      call({ index: 2 }, ":1}"),
      call({ index: 0, id: "b" }, "", "two"),
      call({ index: 3 }, '{"n":2}'),
    ],
  },
  {
    how: "send empty ids and no index",
    chunks: [call({ id: "" }, '{"n":1}', "one"), call({ id: "" }, '{"n":2}', "two")],
  },
  {
    how: "repeat the id with every piece",
    chunks: [
      call({ index: 0, id: "a" }, '{"n"', "one"),
      call({ index: 0, id: "a" }, ":1}"),
      call({ index: 1, id: "b" }, '{"n":2}', "two"),
    ],
  },
];
test.each(oddities)("providers that $how are understood", async ({ chunks }) => {
  const { content, stopReason } = await answerTo([...chunks, delta({}, "stop")]);
  expect(stopReason).toBe("tool_use");
  expect(content).toMatchObject([
    { type: "tool_use", name: "one", input: { n: 1 } },
    { type: "tool_use", name: "two", input: { n: 2 } },
  ]);
  const ids = content.map((block) => (block.type === "tool_use" ? block.id : ""));
  expect(new Set(ids).size).toBe(2);
  expect(ids).not.toContain("");
});

test("an id that an earlier turn had is replaced: calls are told apart by it", async () => {
  const earlier = said("assistant", [{ type: "tool_use", id: "functions.read:0", name: "read", input: {} }]);
  const { content } = await answerTo(
    [call({ index: 0, id: "functions.read:0" }, "{}", "read"), delta({}, "tool_calls")],
    [user("a"), earlier, user("b")],
  );
  expect(content[0]).toMatchObject({ type: "tool_use", name: "read" });
  expect(content[0]).not.toHaveProperty("id", "functions.read:0");
});

test("signatures, reasoning details and usage in a provider's own places are kept", async () => {
  const { content, usage } = await answerTo([
    delta({ reasoning: "hm", reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] }),
    delta({
      tool_calls: [
        {
          index: 0,
          id: "a",
          function: { name: "read", arguments: "{}" },
          extra_content: { google: { thought_signature: "sig" } },
        },
      ],
    }),
    delta({}, "tool_calls"),
    { choices: null, usage: { prompt_tokens: 100, completion_tokens: 3, prompt_cache_hit_tokens: 60 } },
  ]);
  expect(content).toMatchObject([
    { type: "thinking", thinking: "hm", opaque: { reasoning_details: [{ data: "x" }] } },
    { type: "tool_use", opaque: { extra_content: { google: { thought_signature: "sig" } } } },
  ]);
  expect(usage).toEqual({ inputTokens: 40, outputTokens: 3, cacheReadTokens: 60, cacheWriteTokens: 0 });
});

test("usage within the last choice, as Moonshot sends it, counts", async () => {
  const { usage } = await answerTo([
    delta({ content: "Hello" }),
    { choices: [{ delta: {}, finish_reason: "stop", usage: { prompt_tokens: 19, completion_tokens: 13 } }] },
  ]);
  expect(usage).toMatchObject({ inputTokens: 19, outputTokens: 13 });
});

test("an answer that ends with the reason `error` is a failure", async () => {
  await expect(answerTo([delta({ content: "a" }), delta({}, "error")])).rejects.toMatchObject({
    code: "provider_failed",
  });
});

test("content that is a list, as Mistral's reasoning models send it, holds thoughts and text", async () => {
  const thought = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });
  const { content } = await answerTo([
    delta({ role: "assistant", content: "" }),
    delta({ content: [thought("Let me")] }),
    delta({ content: [thought(" see"), { type: "thinking", thinking: [{ type: "reference", reference_ids: [1] }] }] }),
    delta({
      content: [
        { type: "text", text: "Hel" },
        { type: "reference", reference_ids: [1] },
      ],
    }),
    delta({ content: "lo" }, "stop"),
  ]);
  expect(content).toMatchObject([
    { type: "thinking", thinking: "Let me see" },
    { type: "text", text: "Hello" },
  ]);
});

const broken = [
  { from: "DeepSeek", finish: "insufficient_system_resource", code: "overloaded" },
  { from: "Zhipu", finish: "network_error", code: "provider_failed" },
];
test.each(broken)("$from's end $finish is a failure that is tried again, $code", async ({ finish, code }) => {
  await expect(answerTo([delta({ content: "The total is" }), delta({}, finish)])).rejects.toMatchObject({ code });
  await expect(answerTo([call({ index: 0, id: "a" }, "", "bash"), delta({}, finish)])).rejects.toMatchObject({ code });
});

const reasons = [
  { from: "Mistral", finish: "model_length", stopReason: "max_tokens" },
  { from: "Zhipu", finish: "model_context_window_exceeded", stopReason: "max_tokens" },
  { from: "Zhipu", finish: "sensitive", stopReason: "refusal" },
  { from: "nobody known", finish: "whatever", stopReason: "end_turn" },
];
test.each(reasons)("the end $finish, of $from, is $stopReason", async ({ finish, stopReason }) => {
  const answer = await answerTo([delta({ content: "The total is" }), delta({}, finish)]);
  expect(answer.stopReason).toBe(stopReason);
});

const ends = [
  { finish: "whatever", written: "", stopReason: "max_tokens" },
  { finish: "whatever", written: '{"path":', stopReason: "max_tokens" },
  { finish: "whatever", written: '{"path":"a"}', stopReason: "tool_use" },
  { finish: "stop", written: "", stopReason: "tool_use" },
];
test.each(ends)(
  "a call of “$written” that ends with $finish is $stopReason",
  async ({ finish, written, stopReason }) => {
    const answer = await answerTo([call({ index: 0, id: "a" }, written, "read"), delta({}, finish)]);
    expect(answer.stopReason).toBe(stopReason);
  },
);

interface NamedEvent {
  readonly type?: string;
  readonly [field: string]: unknown;
}

function answerToEvents(wire: WireName, events: readonly NamedEvent[]) {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  return answerWith(() => new Response(body, { headers }), [user("hi")], wire);
}

const MALFORMED: readonly { wire: WireName; event: NamedEvent }[] = [
  { wire: "chat", event: { choices: "none" } },
  { wire: "responses", event: { type: "response.output_item.done", output_index: 0 } },
  { wire: "responses", event: { type: "response.output_item.done", item: { type: "message", content: null } } },
  { wire: "responses", event: { type: "response.completed", response: null } },
  { wire: "anthropic", event: { type: "message_start" } },
  { wire: "anthropic", event: { type: "content_block_start", index: 0, content_block: null } },
];
test.each(MALFORMED)(
  "on the wire $wire $event is the provider's failure, not a defect of ours",
  async ({ wire, event }) => {
    await expect(answerToEvents(wire, [event])).rejects.toMatchObject({ code: "provider_failed" });
  },
);

const SPARSE: readonly { wire: WireName; events: readonly NamedEvent[] }[] = [
  {
    wire: "responses",
    events: [
      { type: "response.output_text.delta", delta: "Hel" },
      { type: "response.output_text.delta", delta: "lo" },
      { type: "response.completed", response: {} },
    ],
  },
  {
    wire: "responses",
    events: [
      { type: "response.output_item.done", output_index: 0, item: { type: "reasoning" } },
      {
        type: "response.output_item.done",
        output_index: 1,
        item: { type: "message", content: [{ type: "output_text", text: "Hello" }] },
      },
      { type: "response.completed", response: { output: [] } },
    ],
  },
  {
    wire: "anthropic",
    events: [
      { type: "message_start", message: {} },
      { type: "content_block_start", index: 0, content_block: { type: "text" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ],
  },
];
test.each(SPARSE)("what a compatible provider leaves out on the wire $wire is not missed", async ({ wire, events }) => {
  const { content, model } = await answerToEvents(wire, events);
  expect(content.filter(({ type }) => type !== "thinking")).toEqual([{ type: "text", text: "Hello" }]);
  expect(model).toBe("m");
});

const errors: readonly { from: string; status: number; body: string; code: string }[] = [
  {
    from: "vLLM",
    status: 400,
    body: '{"object":"error","message":"This model\'s maximum context length is 8192 tokens.","code":400}',
    code: "context_overflow",
  },
  { from: "a gateway", status: 502, body: "<html>Bad gateway</html>", code: "provider_failed" },
  { from: "Ollama", status: 404, body: '{"error":"model \'x\' not found"}', code: "unknown_model" },
  {
    from: "Mistral",
    status: 422,
    body: '{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}',
    code: "bad_request",
  },
  { from: "nobody in particular", status: 500, body: "", code: "provider_failed" },
  {
    from: "OpenRouter's moderation",
    status: 403,
    body: '{"error":{"code":403,"message":"Not allowed","metadata":{"reasons":["violence"],"model_slug":"m"}}}',
    code: "refused",
  },
  {
    from: "OpenRouter's moderation, in words alone,",
    status: 403,
    body: '{"error":{"code":403,"message":"Your input was flagged"}}',
    code: "refused",
  },
  {
    from: "a provider that closed the account",
    status: 403,
    body: '{"error":{"message":"Your account was flagged"}}',
    code: "auth",
  },
];
test.each(errors)("an error as $from writes it is read: $code", async ({ status, body, code }) => {
  const call = answerWith(() => new Response(body === "" ? null : body, { status }));
  await expect(call).rejects.toMatchObject({ code });
});

const failedInstead = [
  { said: "a status", body: { error: { code: 402, message: "Add more" } }, code: "quota", status: "402" },
  { said: "no status", body: { error: { code: "odd", message: "Oh" } }, code: "provider_failed", status: "500" },
  { said: "words alone", body: { error: "Oh" }, code: "provider_failed", status: "500" },
];
test.each(failedInstead)("an error with $said in place of a stream is read: $code", async ({ body, code, status }) => {
  const call = answerWith(() => Response.json(body));
  await expect(call).rejects.toMatchObject({ code, detail: { status } });
});

test("a stream under the type of JSON arrives as it is written, and ends with its reader", async () => {
  let cancelled = false;
  const parts = [delta({ content: "Hello" }), delta({}, "stop")].map((part) => `data: ${JSON.stringify(part)}\n\n`);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift();
      if (part !== undefined) controller.enqueue(new TextEncoder().encode(part));
    },
    cancel() {
      cancelled = true;
    },
  });
  const fetch = readableErrors(async () => new Response(body, { headers: { "content-type": "application/json" } }));
  const reader = (await fetch("http://127.0.0.1:1/", { method: "POST" })).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("Hello");
  await reader?.cancel();
  expect(cancelled).toBe(true);
});

test("a field that a provider forbids in its own words is dropped", async () => {
  const bodies: string[] = [];
  const done = `data: ${JSON.stringify(delta({ content: "ok" }, "stop"))}\n\n`;
  const { content } = await answerWith((body) => {
    bodies.push(body);
    if (!body.includes("temperature")) return new Response(done, { headers: { "content-type": "text/event-stream" } });
    return new Response('{"detail":[{"type":"extra_forbidden","loc":["body","temperature"]}]}', { status: 422 });
  });
  expect(content).toEqual([{ type: "text", text: "ok" }]);
  expect(bodies.map((body) => body.includes("temperature"))).toEqual([true, false]);
});

test("a value that is out of range is no reason to drop the field", async () => {
  const bodies: string[] = [];
  const call = answerWith((body) => {
    bodies.push(body);
    return new Response('{"error":{"message":"max_tokens: 100 > 50, which is the maximum"}}', { status: 400 });
  });
  await expect(call).rejects.toMatchObject({ code: "bad_request" });
  expect(bodies).toHaveLength(1);
});
