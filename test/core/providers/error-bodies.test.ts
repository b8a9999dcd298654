import { expect, test } from "vitest";
import { readableErrors } from "../../../src/core/providers/error-bodies.ts";
import { answerWith, delta } from "../../support/model/odd-answers.ts";

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
