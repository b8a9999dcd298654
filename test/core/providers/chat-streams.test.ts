import { expect, test } from "vitest";
import type { WireName } from "../../../src/core/providers/quirks.ts";
import { answerTo, answerWith, delta, eventStream } from "../../support/model/odd-answers.ts";
import { said, user } from "../../support/talk/conversation.ts";

const call = (fields: object, args: unknown, name?: string) =>
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
  {
    how: "repeat the name with every piece",
    chunks: [call({}, '{"n"', "one"), call({}, ":1}", "one"), call({}, '{"n":2}', "two")],
  },
  {
    how: "repeat the name, and say the id once",
    chunks: [
      call({ index: 0, id: "a" }, '{"n":1}', "one"),
      call({ index: 0 }, "", "one"),
      call({ index: 1, id: "b" }, '{"n":2}', "two"),
    ],
  },
  {
    how: "make up a new id for every piece",
    chunks: [
      call({ index: 0, id: "a" }, '{"n"', "one"),
      call({ index: 0, id: "b" }, ":1}"),
      call({ index: 1, id: "c" }, "", "two"),
      call({ index: 1, id: "d" }, '{"n"'),
      call({ index: 1, id: "e" }, ":2}", "two"),
    ],
  },
  {
    how: "say the id after the name",
    chunks: [
      call({ index: 0 }, "", "one"),
      call({ index: 0, id: "a" }, '{"n":1}'),
      call({ index: 1 }, '{"n":2}', "two"),
    ],
  },
  {
    how: "give all calls one id",
    chunks: [call({ index: 0, id: "a" }, '{"n":1}', "one"), call({ index: 0, id: "a" }, '{"n":2}', "two")],
  },
  {
    how: "write arguments as objects",
    chunks: [call({ index: 0, id: "a" }, { n: 1 }, "one"), call({ index: 1, id: "b" }, { n: 2 }, "two")],
  },
  {
    how: "write an empty object first",
    chunks: [
      call({ index: 0, id: "a" }, "{}", "one"),
      call({ index: 0 }, '{"n":1}'),
      call({ index: 1, id: "b" }, '{} {"n":2}', "two"),
    ],
  },
  {
    how: "encode arguments twice",
    chunks: [
      call({ index: 0, id: "a" }, JSON.stringify('{"n":1}'), "one"),
      call({ index: 1, id: "b" }, JSON.stringify('{"n":2}'), "two"),
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

test.each(["null", "{}", '""'])("arguments of %s are none", async (args) => {
  const { content } = await answerTo([call({ index: 0, id: "a" }, args, "read"), delta({}, "tool_calls")]);
  expect(content).toEqual([expect.objectContaining({ name: "read", input: {} })]);
  expect(content[0]).not.toHaveProperty("invalidJson");
});

test("calls of one tool without arguments stay apart by their ids", async () => {
  const { content } = await answerTo([
    call({ index: 0, id: "a" }, "", "read"),
    call({ index: 0, id: "b" }, "", "read"),
    delta({}, "tool_calls"),
  ]);
  expect(content).toMatchObject([{ id: "a" }, { id: "b" }]);
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

test("pieces of a reasoning detail are kept as one, under the signature that comes last", async () => {
  const detail = (fields: object) => delta({ reasoning_details: [{ type: "reasoning.text", index: 0, ...fields }] });
  const sealed = { type: "reasoning.encrypted", data: "x", index: 1 };
  const { content } = await answerTo([
    detail({ text: "Hm", format: "anthropic-claude-v1", signature: null }),
    detail({ text: "m." }),
    detail({ text: null, signature: "sig" }),
    delta({ reasoning_details: [sealed, { ...sealed, data: "y" }] }),
    delta({ reasoning_details: [{ type: "reasoning.text", text: "Well." }] }),
    delta({ content: "Hello" }, "stop"),
  ]);
  const whole = { type: "reasoning.text", index: 0, text: "Hmm.", format: "anthropic-claude-v1", signature: "sig" };
  const reasoning_details = [whole, sealed, { ...sealed, data: "y" }, { type: "reasoning.text", text: "Well." }];
  expect(content[0]).toMatchObject({ type: "thinking", opaque: { reasoning_details } });
});

test("reasoning and its seal as Copilot sends them are kept", async () => {
  const { content } = await answerTo([
    delta({ reasoning_text: "h", reasoning_content: "" }),
    delta({ reasoning_text: "m", content: "" }),
    delta({ content: "Hello", reasoning_opaque: "sealed" }, "stop"),
  ]);
  expect(content).toMatchObject([
    { type: "thinking", thinking: "hm", opaque: { reasoning_opaque: "sealed" } },
    { type: "text", text: "Hello" },
  ]);
});

test("usage within the last choice, as Moonshot sends it, counts", async () => {
  const { usage } = await answerTo([
    delta({ content: "Hello" }),
    { choices: [{ delta: {}, finish_reason: "stop", usage: { prompt_tokens: 19, completion_tokens: 13 } }] },
  ]);
  expect(usage).toMatchObject({ inputTokens: 19, outputTokens: 13 });
});

test("usage that Groq reports in a field of its own counts", async () => {
  const { usage } = await answerTo([
    delta({ content: "Hello" }),
    { ...delta({}, "stop"), x_groq: { usage: { prompt_tokens: 19, completion_tokens: 13 } } },
  ]);
  expect(usage).toMatchObject({ inputTokens: 19, outputTokens: 13 });
});

test("what a model thinks between tags is no part of its answer, whoever serves it", async () => {
  const { content } = await answerTo([
    delta({ content: "<thi" }),
    delta({ content: "nk>\nThey greet.\n</think>" }),
    delta({ content: "\n\nHello" }, "stop"),
  ]);
  expect(content).toMatchObject([
    { type: "thinking", thinking: "\nThey greet.\n" },
    { type: "text", text: "Hello" },
  ]);
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
  { from: "Google", finish: "function_call_filter: MALFORMED_FUNCTION_CALL", code: "incomplete_stream" },
];
test.each(broken)("$from's end $finish is a failure that is tried again, $code", async ({ finish, code }) => {
  await expect(answerTo([delta({ content: "The total is" }), delta({}, finish)])).rejects.toMatchObject({ code });
  await expect(answerTo([call({ index: 0, id: "a" }, "", "bash"), delta({}, finish)])).rejects.toMatchObject({ code });
});

const reasons = [
  { from: "Mistral", finish: "model_length", stopReason: "max_tokens" },
  { from: "Zhipu", finish: "model_context_window_exceeded", stopReason: "max_tokens" },
  { from: "Zhipu", finish: "sensitive", stopReason: "refusal" },
  { from: "Google", finish: "content_filter: PROHIBITED_CONTENT", stopReason: "refusal" },
  { from: "gateways to Google", finish: "MAX_TOKENS", stopReason: "max_tokens" },
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

const calling = call({ index: 0, id: "a" }, '{"path":"a"}', "read");
const unfinished: readonly { from: string; chunks: readonly unknown[]; end: string; stopReason: string | null }[] = [
  { from: "Snowflake", chunks: [delta({ content: "4" })], end: "data: [DONE]\n\n", stopReason: "end_turn" },
  { from: "models behind OpenRouter", chunks: [calling], end: "data: [DONE]\n\n", stopReason: "tool_use" },
  {
    from: "a server that broke off",
    chunks: [call({ index: 0, id: "a" }, '{"path', "read")],
    end: "data: [DONE] \n\n",
    stopReason: "max_tokens",
  },
  { from: "a lost connection", chunks: [delta({ content: "4" })], end: "", stopReason: null },
];
test.each(unfinished)("an answer of $from that gives no reason why it ends: $stopReason", async (answer) => {
  const { chunks, end, stopReason } = answer;
  const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}${end}`;
  const ended = answerWith(() => eventStream(body)).then((response) => response.stopReason);
  await (stopReason === null
    ? expect(ended).rejects.toMatchObject({ code: "incomplete_stream" })
    : expect(ended).resolves.toBe(stopReason));
});

const late = [
  { how: "MiniMax behind OpenRouter", tail: 'data: {"error":{"code":400,"message":"Token limit reached"}}\n\n' },
  { how: "what is no JSON", tail: "data: DONE\n\n" },
];
test.each(late)("what fails after an answer's end takes nothing from it: $how", async ({ tail }) => {
  const body = `data: ${JSON.stringify(delta({ content: "The total is" }, "length"))}\n\n${tail}`;
  const { content, stopReason } = await answerWith(() => eventStream(body));
  expect(content).toEqual([{ type: "text", text: "The total is" }]);
  expect(stopReason).toBe("max_tokens");
});

test("a failure that llama.cpp writes beside its data is told as what it is", async () => {
  const tail = 'error: {"code":500,"message":"Slot is unavailable.","type":"server_error"}\n\n';
  const body = `data: ${JSON.stringify(delta({ content: "The total is" }))}\n\n${tail}`;
  await expect(answerWith(() => eventStream(body))).rejects.toMatchObject({ code: "provider_failed" });
});

interface NamedEvent {
  readonly type?: string;
  readonly [field: string]: unknown;
}

function answerToEvents(wire: WireName, events: readonly NamedEvent[]) {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return answerWith(() => eventStream(body), { wire });
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

const HELLO: Readonly<Record<WireName, readonly NamedEvent[]>> = {
  chat: [delta({ content: "Hel" }), delta({ content: "lo" }, "stop")],
  responses: [
    { type: "response.output_text.delta", delta: "Hello" },
    { type: "response.completed", response: {} },
  ],
  anthropic: [
    { type: "message_start", message: {} },
    { type: "content_block_start", index: 0, content_block: { type: "text" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
    { type: "message_stop" },
  ],
};
const frames: readonly { how: string; frame: (event: NamedEvent) => string }[] = [
  { how: "without names", frame: (event) => `data: ${JSON.stringify(event)}\n\n` },
  {
    how: "with data right after the colon",
    frame: (event) => `event:${event.type ?? "message"}\r\ndata:${JSON.stringify(event)}\r\n\r\n`,
  },
  {
    how: "between signs of life",
    frame: (event) =>
      `: PROCESSING\n\ndata: \n\ndata:\n\nevent: keepalive\n\nevent: ${event.type ?? "message"}\ndata: ${JSON.stringify(event)}\n\n`,
  },
];
const written = frames.flatMap(({ how, frame }) =>
  (["chat", "responses", "anthropic"] as const).map((wire) => ({ wire, how, body: HELLO[wire].map(frame).join("") })),
);
test.each(written)("events $how are read on the wire $wire, in whatever pieces they come", async ({ wire, body }) => {
  for (const size of [body.length, 7, 1]) {
    const pieces = (body.match(new RegExp(`.{1,${size}}`, "gs")) ?? []).map((piece) => new TextEncoder().encode(piece));
    const { content } = await answerWith(() => eventStream(ReadableStream.from(pieces)), { wire });
    expect(content).toEqual([{ type: "text", text: "Hello" }]);
  }
});

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
test("items that nobody numbers are all kept, as llama.cpp sends them", async () => {
  const done = (item: object) => ({ type: "response.output_item.done", item });
  const { content } = await answerToEvents("responses", [
    done({ type: "message", content: [{ type: "output_text", text: "I look." }] }),
    done({ type: "function_call", call_id: "a", name: "one", arguments: "{}" }),
    done({ type: "function_call", call_id: "b", name: "two", arguments: "{}" }),
    { type: "response.completed", response: {} },
  ]);
  expect(content).toMatchObject([{ text: "I look." }, { id: "a", name: "one" }, { id: "b", name: "two" }]);
});

test.each(SPARSE)("what a compatible provider leaves out on the wire $wire is not missed", async ({ wire, events }) => {
  const { content, model } = await answerToEvents(wire, events);
  expect(content.filter(({ type }) => type !== "thinking")).toEqual([{ type: "text", text: "Hello" }]);
  expect(model).toBe("m");
});
