import { expect, test } from "vitest";
import type { ImageBlock } from "../../../src/core/protocol/messages.ts";
import type { WireName } from "../../../src/core/providers/quirks.ts";
import { createProviderRegistry } from "../../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { answerWith, delta, eventStream } from "../../support/model/odd-answers.ts";
import { silentLog } from "../../support/silent-log.ts";
import { PIXEL, results, said, user } from "../../support/talk/conversation.ts";

const ANSWER = [
  { type: "message_start", message: {} },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "ok" } },
  { type: "message_stop" },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");
const OK = `data: ${JSON.stringify(delta({ content: "ok" }, "stop"))}\n\n`;
const COMPLETED = `data: ${JSON.stringify({
  type: "response.completed",
  response: { output: [{ type: "message", content: [{ type: "output_text", text: "ok" }] }] },
})}\n\n`;

const forbidden: readonly { from: string; wire?: WireName; field: string; status: number; body: string }[] = [
  {
    from: "Mistral",
    field: "temperature",
    status: 422,
    body: '{"detail":[{"type":"extra_forbidden","loc":["body","temperature"]}]}',
  },
  {
    from: "Moonshot",
    field: "temperature",
    status: 400,
    body: '{"error":{"message":"invalid temperature: only 1 is allowed for this model","type":"invalid_request_error"}}',
  },
  {
    from: "xAI",
    field: "reasoning_effort",
    status: 400,
    body: '{"code":"invalid-argument","error":"Model grok-4 does not support parameter reasoningEffort."}',
  },
  {
    from: "Anthropic",
    wire: "anthropic",
    field: "output_config",
    status: 400,
    body: '{"type":"error","error":{"type":"invalid_request_error","message":"This model does not support the effort parameter."}}',
  },
  {
    from: "OpenAI",
    wire: "responses",
    field: "include",
    status: 400,
    body: '{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}',
  },
];
const ANSWERS: Readonly<Record<WireName, string>> = { chat: OK, responses: COMPLETED, anthropic: ANSWER };
test.each(forbidden)("$field, rejected by $from, is dropped", async (refused) => {
  const { wire = "chat", field, status, body } = refused;
  const sent: boolean[] = [];
  const { content } = await answerWith(
    (request) => {
      sent.push(request.includes(`"${field}"`));
      return request.includes(`"${field}"`) ? new Response(body, { status }) : eventStream(ANSWERS[wire]);
    },
    field === "reasoning_effort" ? { provider: "xai", effortLevel: "high" } : { wire, effortLevel: "high" },
  );
  expect(content).toEqual([{ type: "text", text: "ok" }]);
  expect(sent).toEqual([true, false]);
});

test("concurrent calls rejected for one field are all resent without it", async () => {
  const allAsk = Promise.withResolvers<void>();
  const bodies: string[] = [];
  const registry = createProviderRegistry({
    settings: { local: { wire: "chat", baseUrl: "http://127.0.0.1:1/v1" } },
    runtime: systemRuntime(),
    log: silentLog,
    fetch: async (_, init) => {
      const body = typeof init?.body === "string" ? init.body : "";
      if (bodies.push(body) === 3) allAsk.resolve();
      await allAsk.promise;
      const message = "Unsupported parameter: 'temperature' is not supported with this model.";
      return body.includes("temperature") ? Response.json({ error: { message } }, { status: 400 }) : eventStream(OK);
    },
  });
  const { provider } = await registry.resolve("local/m");
  const request = { model: "m", system: [], messages: [user("hi")], tools: [], maxTokens: 100, temperature: 0.5 };
  const ask = () => provider.createMessage(request, new AbortController().signal);
  const answers = await Promise.all([ask(), ask(), ask()]);
  for (const { content } of answers) expect(content).toEqual([{ type: "text", text: "ok" }]);
  expect(bodies).toHaveLength(6);
});

const unreadable: readonly { wire: WireName; status?: number; message: string; answer: string }[] = [
  { wire: "responses", message: "The encrypted content gAAA...c90= could not be verified.", answer: COMPLETED },
  {
    wire: "responses",
    message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    answer: COMPLETED,
  },
  {
    wire: "responses",
    status: 404,
    message: "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
    answer: COMPLETED,
  },
  {
    wire: "anthropic",
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
    answer: ANSWER,
  },
  {
    wire: "anthropic",
    message:
      "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    answer: ANSWER,
  },
];
test.each(unreadable)("unreadable reasoning is left out on the wire $wire: $message", async (refused) => {
  const { wire, status = 400, message, answer } = refused;
  const thought = {
    type: "thinking",
    thinking: "hm",
    signature: "sealed",
    opaque: { id: "rs_1", encrypted_content: "sealed", summary: [] },
    origin: { provider: "local", model: "m" },
  } as const;
  const call = { type: "tool_use", id: "call_1", name: "read", input: {} } as const;
  const messages = [user("go"), said("assistant", [thought, call]), results({ id: "call_1", text: "A" })];
  const sent: string[] = [];
  const respond = (body: string) => {
    sent.push(body);
    if (sent.length > 1) return eventStream(answer);
    return Response.json({ error: { type: "invalid_request_error", message } }, { status });
  };
  const { content } = await answerWith(respond, { messages, wire });
  expect(content).toEqual([{ type: "text", text: "ok" }]);
  expect(sent.map((body) => body.includes("sealed"))).toEqual([true, false]);
  expect(sent[1]).toContain("call_1");
});

test("a signature that Google rejects as corrupted is not sent again", async () => {
  const origin = { provider: "google", model: "m" };
  const opaque = { extra_content: { google: { thought_signature: "sealed" } } };
  const call = { type: "tool_use", id: "call_1", name: "read", input: {}, origin, opaque } as const;
  const messages = [user("go"), said("assistant", [call]), results({ id: "call_1", text: "A" })];
  const sent: string[] = [];
  const respond = (body: string) => {
    sent.push(body);
    if (sent.length > 1) return eventStream(`data: ${JSON.stringify(delta({ content: "ok" }, "stop"))}\n\n`);
    return Response.json([{ error: { code: 400, message: "Corrupted thought signature." } }], { status: 400 });
  };
  await answerWith(respond, { messages, provider: "google" });
  expect(sent.map((body) => body.includes("sealed"))).toEqual([true, false]);
});

test("thinking is disabled if another model started the run and the provider requires thinking before each call", async () => {
  const call = { type: "tool_use", id: "call_1", name: "read", input: {} } as const;
  const messages = [user("go"), said("assistant", [call]), results({ id: "call_1", text: "A" })];
  const sent: string[] = [];
  const message =
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.";
  const respond = (body: string) => {
    sent.push(body);
    if (sent.length > 1) return eventStream(ANSWER);
    return Response.json({ error: { type: "invalid_request_error", message } }, { status: 400 });
  };
  const asked = {
    messages,
    wire: "anthropic",
    effortLevel: "high",
    model: "claude-sonnet-4-5",
    maxTokens: 20_000,
  } as const;
  await answerWith(respond, asked);
  expect(sent.map((body) => body.includes('"thinking"'))).toEqual([true, false]);
});

const wanting: readonly { from: string; wire: WireName; message: string }[] = [
  {
    from: "DeepSeek behind a gateway",
    wire: "chat",
    message: "The `reasoning_content` in the thinking mode must be passed back to the API.",
  },
  {
    from: "Kimi behind a gateway",
    wire: "anthropic",
    message: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
  },
];
test.each(wanting)("reasoning that $from requires is sent with every answer afterwards", async (refused) => {
  const { wire, message } = refused;
  const thought = { type: "thinking", thinking: "They greet.", origin: { provider: "local", model: "m" } } as const;
  const call = { type: "tool_use", id: "call_1", name: "read", input: {} } as const;
  const messages = [user("go"), said("assistant", [thought, call]), results({ id: "call_1", text: "A" })];
  const sent: string[] = [];
  const respond = (body: string) => {
    sent.push(body);
    if (body.includes("They greet.")) return eventStream(wire === "chat" ? OK : ANSWER);
    return Response.json({ error: { type: "invalid_request_error", message } }, { status: 400 });
  };
  const { content } = await answerWith(respond, { messages, wire });
  expect(content).toEqual([{ type: "text", text: "ok" }]);
  expect(sent).toHaveLength(2);
});

const unmoved = [
  "Corrupted thought signature.",
  "When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
];
test.each(unmoved)("a request rejected also without reasoning is not repeated: %s", async (message) => {
  const thought = { type: "thinking", thinking: "hm", signature: "sealed", origin: { provider: "local", model: "m" } };
  const messages = [user("go"), said("assistant", [{ ...thought, type: "thinking" }]), user("on")];
  let sent = 0;
  const respond = () => {
    sent += 1;
    return Response.json({ error: { type: "invalid_request_error", message } }, { status: 400 });
  };
  await expect(answerWith(respond, { messages, wire: "anthropic" })).rejects.toMatchObject({ code: "bad_request" });
  expect(sent).toBe(2);
});

test("an out-of-range value does not drop the field", async () => {
  const bodies: string[] = [];
  const call = answerWith((body) => {
    bodies.push(body);
    return new Response('{"error":{"message":"max_tokens: 100 > 50, which is the maximum"}}', { status: 400 });
  });
  await expect(call).rejects.toMatchObject({ code: "bad_request" });
  expect(bodies).toHaveLength(1);
});

const IMAGE: ImageBlock = { type: "image", mediaType: "image/png", data: PIXEL };
const seen = [
  user("look"),
  said("assistant", [{ type: "tool_use", id: "call_1", name: "read", input: {} }]),
  said("user", [{ type: "tool_result", toolUseId: "call_1", content: [IMAGE], isError: false }]),
  said("assistant", [{ type: "text", text: "A pixel." }]),
  said("user", [{ type: "text", text: "and this?" }, IMAGE]),
];
/** Number of images in a request. */
const shown = (body: string) => body.split(PIXEL).length - 1;
const imageless: readonly { from: string; wire?: WireName; status: number; message: string }[] = [
  { from: "OpenRouter", status: 404, message: "No endpoints found that support image input" },
  { from: "DeepSeek", status: 400, message: "messages[4]: unknown variant `image_url`, expected `text`" },
  { from: "Groq", status: 400, message: "messages[4].content must be a string" },
  {
    from: "llama.cpp",
    status: 500,
    message: "image input is not supported - hint: you may need to provide the mmproj",
  },
  { from: "an older llama.cpp", status: 500, message: 'Unsupported content part type: "image_url"' },
  { from: "Ollama", status: 400, message: "this model does not support image input" },
  { from: "vLLM", status: 400, message: "At most 0 image(s) may be provided in one prompt." },
];
test.each(imageless)("images that $from rejects are left out, earlier ones first", async ({ status, message }) => {
  const sent: string[] = [];
  const respond = (body: string) => {
    sent.push(body);
    return shown(body) === 0 ? eventStream(OK) : Response.json({ error: { message } }, { status });
  };
  const { content } = await answerWith(respond, { messages: seen });
  expect(content).toEqual([{ type: "text", text: "ok" }]);
  expect(sent.map(shown)).toEqual([2, 1, 0]);
  expect(sent[2]).toContain("Image left out");
});

const many = [
  { status: 400, message: "image dimensions exceed max allowed size for many-image requests: 2000 pixels" },
  { status: 413, message: "Request exceeds the maximum size" },
];
test.each(many)("if images make a request too large, the newest are kept: $message", async ({ status, message }) => {
  const sent: string[] = [];
  const respond = (body: string) => {
    sent.push(body);
    return shown(body) === 1 ? eventStream(OK) : Response.json({ error: { message } }, { status });
  };
  await answerWith(respond, { messages: seen });
  expect(sent.map(shown)).toEqual([2, 1]);
});

test("a request too large even without images is a context overflow", async () => {
  const respond = () => new Response("<html>Request Entity Too Large</html>", { status: 413 });
  await expect(answerWith(respond, { messages: seen })).rejects.toMatchObject({ code: "context_overflow" });
});

test("a PDF that the provider cannot read is replaced by its name", async () => {
  const sent: string[] = [];
  const message = "messages.0.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.";
  const respond = (body: string) => {
    sent.push(body);
    if (!body.includes("JVBERi0")) return eventStream(ANSWER);
    return Response.json({ error: { type: "invalid_request_error", message } }, { status: 400 });
  };
  const pdf = {
    type: "document",
    name: "report.pdf",
    mediaType: "application/pdf",
    data: "JVBERi0xLjc=",
    text: "Two nodes",
  } as const;
  const { content } = await answerWith(respond, { messages: [said("user", [pdf])], wire: "anthropic" });
  expect(content).toEqual([{ type: "text", text: "ok" }]);
  expect(sent).toHaveLength(2);
  expect(sent[0]).not.toContain("Two nodes");
  expect(sent[1]).toContain("Two nodes");
});
