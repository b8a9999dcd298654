import { expect, test } from "vitest";
import { answerTo, answerWith, calling as call, delta, eventStream } from "../../support/model/odd-answers.ts";

test("an answer that ends with the reason `error` is a failure", async () => {
  await expect(answerTo([delta({ content: "a" }), delta({}, "error")])).rejects.toMatchObject({
    code: "provider_failed",
  });
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

const whole = call({ index: 0, id: "a" }, '{"path":"a"}', "read");
const unfinished: readonly { from: string; chunks: readonly unknown[]; end: string; stopReason: string | null }[] = [
  { from: "Snowflake", chunks: [delta({ content: "4" })], end: "data: [DONE]\n\n", stopReason: "end_turn" },
  { from: "models behind OpenRouter", chunks: [whole], end: "data: [DONE]\n\n", stopReason: "tool_use" },
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
test.each(late)("a failure after the end of an answer is ignored: $how", async ({ tail }) => {
  const body = `data: ${JSON.stringify(delta({ content: "The total is" }, "length"))}\n\n${tail}`;
  const { content, stopReason } = await answerWith(() => eventStream(body));
  expect(content).toEqual([{ type: "text", text: "The total is" }]);
  expect(stopReason).toBe("max_tokens");
});

test("an error event of llama.cpp is recognised", async () => {
  const tail = 'error: {"code":500,"message":"Slot is unavailable.","type":"server_error"}\n\n';
  const body = `data: ${JSON.stringify(delta({ content: "The total is" }))}\n\n${tail}`;
  await expect(answerWith(() => eventStream(body))).rejects.toMatchObject({ code: "provider_failed" });
});
