import { expect, test } from "vitest";
import type { WireName } from "../../../src/core/providers/quirks.ts";
import { answerTo, answerWith, calling as call, delta, eventStream } from "../../support/model/odd-answers.ts";
import { said, user } from "../../support/talk/conversation.ts";

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
test.each(oddities)("streams of providers that $how are parsed", async ({ chunks }) => {
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

test.each(["null", "{}", '""'])("arguments of %s count as empty", async (args) => {
  const { content } = await answerTo([call({ index: 0, id: "a" }, args, "read"), delta({}, "tool_calls")]);
  expect(content).toEqual([expect.objectContaining({ name: "read", input: {} })]);
  expect(content[0]).not.toHaveProperty("invalidJson");
});

test("calls of the same tool without arguments are distinguished by their ids", async () => {
  const { content } = await answerTo([
    call({ index: 0, id: "a" }, "", "read"),
    call({ index: 0, id: "b" }, "", "read"),
    delta({}, "tool_calls"),
  ]);
  expect(content).toMatchObject([{ id: "a" }, { id: "b" }]);
});

test("a call id used in an earlier turn is replaced", async () => {
  const earlier = said("assistant", [{ type: "tool_use", id: "functions.read:0", name: "read", input: {} }]);
  const { content } = await answerTo(
    [call({ index: 0, id: "functions.read:0" }, "{}", "read"), delta({}, "tool_calls")],
    [user("a"), earlier, user("b")],
  );
  expect(content[0]).toMatchObject({ type: "tool_use", name: "read" });
  expect(content[0]).not.toHaveProperty("id", "functions.read:0");
});

test("signatures, reasoning details and usage in provider-specific fields are kept", async () => {
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

test("fragments of a reasoning detail are joined under the last signature", async () => {
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

test("Copilot's reasoning text and opaque reasoning are kept", async () => {
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

const thinkers: readonly { from: string; usage: object; outputTokens: number }[] = [
  {
    from: "xAI",
    usage: { completion_tokens: 1, total_tokens: 303, completion_tokens_details: { reasoning_tokens: 290 } },
    outputTokens: 291,
  },
  {
    from: "OpenAI",
    usage: { completion_tokens: 291, total_tokens: 303, completion_tokens_details: { reasoning_tokens: 290 } },
    outputTokens: 291,
  },
  { from: "Google", usage: { completion_tokens: 12, total_tokens: 86 }, outputTokens: 74 },
  {
    from: "a gateway whose total has what was cached",
    usage: { completion_tokens: 12, total_tokens: 999, prompt_tokens_details: { cached_tokens: 0 } },
    outputTokens: 12,
  },
];
test.each(thinkers)("reasoning tokens count as $from reports them", async ({ usage: said, outputTokens }) => {
  const { usage } = await answerTo([
    delta({ content: "Hello" }, "stop"),
    { choices: [], usage: { prompt_tokens: 12, ...said } },
  ]);
  expect(usage).toMatchObject({ inputTokens: 12, outputTokens });
});

test("usage that Groq reports in a field of its own counts", async () => {
  const { usage } = await answerTo([
    delta({ content: "Hello" }),
    { ...delta({}, "stop"), x_groq: { usage: { prompt_tokens: 19, completion_tokens: 13 } } },
  ]);
  expect(usage).toMatchObject({ inputTokens: 19, outputTokens: 13 });
});

test("reasoning between tags is not part of the answer, for any provider", async () => {
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

test("content as a list, as sent by Mistral's reasoning models, contains reasoning and text", async () => {
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
test.each(MALFORMED)("$event on the wire $wire is a provider failure, not a defect", async ({ wire, event }) => {
  await expect(answerToEvents(wire, [event])).rejects.toMatchObject({ code: "provider_failed" });
});

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
test.each(written)("events $how are parsed on the wire $wire in any chunks", async ({ wire, body }) => {
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
test("items without an index, as sent by llama.cpp, are all kept", async () => {
  const done = (item: object) => ({ type: "response.output_item.done", item });
  const { content } = await answerToEvents("responses", [
    done({ type: "message", content: [{ type: "output_text", text: "I look." }] }),
    done({ type: "function_call", call_id: "a", name: "one", arguments: "{}" }),
    done({ type: "function_call", call_id: "b", name: "two", arguments: "{}" }),
    { type: "response.completed", response: {} },
  ]);
  expect(content).toMatchObject([{ text: "I look." }, { id: "a", name: "one" }, { id: "b", name: "two" }]);
});

test.each(SPARSE)(
  "fields that a compatible provider omits on the wire $wire are optional",
  async ({ wire, events }) => {
    const { content, model } = await answerToEvents(wire, events);
    expect(content.filter(({ type }) => type !== "thinking")).toEqual([{ type: "text", text: "Hello" }]);
    expect(model).toBe("m");
  },
);
