import { describe, expect, test } from "vitest";
import { createProviderRegistry } from "../../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";
import { user } from "../../support/talk/conversation.ts";

/** Counts in the order of the stream's events; a count that JSON cannot hold is written as text. */
type Said = readonly unknown[];

interface Spoken {
  readonly ref: string;
  readonly body: (counts: Said) => string;
  readonly input: string;
  readonly output: string;
  readonly cached: (count: unknown) => object;
}

const sse = (data: object) => `event: ${"type" in data ? String(data.type) : "x"}\ndata: ${JSON.stringify(data)}\n\n`;

const chat: Spoken = {
  ref: "groq/m",
  input: "prompt_tokens",
  output: "completion_tokens",
  cached: (cached_tokens) => ({ prompt_tokens_details: { cached_tokens } }),
  body: (counts) =>
    [
      { choices: [{ delta: { content: "ok" } }] },
      ...counts.map((usage) => ({ choices: [], usage })),
      { choices: [{ delta: {}, finish_reason: "stop" }] },
    ]
      .map(sse)
      .join(""),
};

const anthropic: Spoken = {
  ref: "anthropic/m",
  input: "input_tokens",
  output: "output_tokens",
  cached: (cache_read_input_tokens) => ({ cache_read_input_tokens }),
  body: ([first, ...later]) =>
    [
      { type: "message_start", message: { model: "m", content: [], usage: first } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "ok" } },
      { type: "content_block_stop", index: 0 },
      ...later.map((usage) => ({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage })),
      { type: "message_stop" },
    ]
      .map(sse)
      .join(""),
};

const responses: Spoken = {
  ref: "openai/m",
  input: "input_tokens",
  output: "output_tokens",
  cached: (cached_tokens) => ({ input_tokens_details: { cached_tokens } }),
  body: (counts) => {
    const item = {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "ok", annotations: [] }],
    };
    return [
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { model: "m", output: [item], usage: counts.at(-1) } },
    ]
      .map(sse)
      .join("");
  },
};

async function countedFrom({ ref, body }: Spoken, counts: Said) {
  const [provider = ""] = ref.split("/");
  const registry = createProviderRegistry({
    settings: { [provider]: { apiKey: "k", baseUrl: "http://127.0.0.1:1/v1" } },
    runtime: systemRuntime(),
    log: silentLog,
    // JSON.parse reads a number that is too large as Infinity.
    fetch: async () =>
      new Response(body(counts).replaceAll('"endless"', "1e999"), { headers: { "content-type": "text/event-stream" } }),
  });
  const { provider: model, model: name } = await registry.resolve(ref);
  const request = { model: name, system: [], messages: [user("hi")], tools: [], maxTokens: 100 };
  const { usage } = await model.createMessage(request, new AbortController().signal);
  return [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.cacheWriteTokens];
}

describe.each([
  ["chat", chat],
  ["anthropic", anthropic],
  ["responses", responses],
])("%s", (_name, wire) => {
  const { input, output, cached } = wire;
  test.each<{ what: string; counts: Said; told: readonly number[] }>([
    { what: "nothing", counts: [undefined, undefined], told: [0, 0, 0, 0] },
    { what: "null", counts: [null, null], told: [0, 0, 0, 0] },
    { what: "an empty count", counts: [{}, {}], told: [0, 0, 0, 0] },
    { what: "null for each", counts: [{}, { [input]: null, [output]: null }], told: [0, 0, 0, 0] },
    { what: "fewer than none", counts: [{}, { [input]: -900, [output]: -5 }], told: [0, 0, 0, 0] },
    { what: "a part of a token", counts: [{}, { [input]: 12.4, [output]: 2.6 }], told: [12, 3, 0, 0] },
    { what: "more than there can be", counts: [{}, { [input]: 3e9, [output]: 7 }], told: [0, 7, 0, 0] },
    { what: "endlessly many", counts: [{}, { [input]: 40, [output]: "endless" }], told: [40, 0, 0, 0] },
    { what: "a text", counts: [{}, { [input]: "40", [output]: 7 }], told: [0, 7, 0, 0] },
    { what: "fewer cached ones than none", counts: [{}, { [input]: 40, ...cached(-30) }], told: [40, 0, 0, 0] },
  ])("usage of a provider that counts $what is parsed", async ({ counts, told }) => {
    expect(await countedFrom(wire, counts)).toEqual(told);
  });
});

test.each<{ name: string; wire: Spoken; counts: Said; told: readonly number[] }>([
  {
    name: "chat",
    wire: chat,
    counts: [
      { prompt_tokens: 90, completion_tokens: 5 },
      { prompt_tokens: 90, completion_tokens: 9 },
      { prompt_tokens: 0, completion_tokens: 0 },
    ],
    told: [90, 9, 0, 0],
  },
  {
    name: "anthropic",
    wire: anthropic,
    counts: [{ input_tokens: 90, output_tokens: 5 }, { output_tokens: 9 }, { input_tokens: 0, output_tokens: 0 }],
    told: [90, 9, 0, 0],
  },
  {
    name: "anthropic",
    wire: anthropic,
    counts: [
      { input_tokens: 90, output_tokens: 1 },
      { input_tokens: 10, cache_read_input_tokens: 80, output_tokens: 9 },
    ],
    told: [10, 9, 80, 0],
  },
])("$name: the newest cumulative usage with a value applies: $counts", async ({ wire, counts, told }) => {
  expect(await countedFrom(wire, counts)).toEqual(told);
});
