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
  {
    from: "Google, of a wrong key,",
    status: 400,
    body: '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]',
    code: "auth",
  },
  {
    from: "xAI, of a wrong key,",
    status: 400,
    body: '{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***."}',
    code: "auth",
  },
  {
    from: "Google, of a model without a free tier,",
    status: 429,
    body: '[{"error":{"code":429,"message":"You exceeded your current quota. Quota exceeded for metric: free_tier_requests, limit: 0. Please retry in 21.2s."}}]',
    code: "quota",
  },
  {
    from: "Google, of a day's quota,",
    status: 429,
    body: '[{"error":{"code":429,"message":"You exceeded your current quota. Please retry in 21.2s.","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}]',
    code: "quota",
  },
  {
    from: "OpenRouter, of a day's free requests,",
    status: 429,
    body: '{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock more","code":429}}',
    code: "quota",
  },
  {
    from: "OpenRouter, of a key's limit,",
    status: 403,
    body: '{"error":{"message":"Key limit exceeded (total limit).","code":403}}',
    code: "quota",
  },
  {
    from: "Anthropic, of the operator's own limit,",
    status: 400,
    body: '{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}',
    code: "quota",
  },
  {
    from: "SiliconFlow, of an empty account,",
    status: 403,
    body: '{"code":30001,"message":"Sorry, your account balance is insufficient","data":null}',
    code: "quota",
  },
  {
    from: "Qwen, of an overdue bill,",
    status: 400,
    body: '{"error":{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}}',
    code: "quota",
  },
  {
    from: "a gateway of users with quotas",
    status: 403,
    body: '{"error":{"message":"user quota is not enough","code":"insufficient_user_quota"}}',
    code: "quota",
  },
  {
    from: "Groq, of a request above a minute's tokens,",
    status: 413,
    body: '{"error":{"message":"Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 13000","type":"tokens","code":"rate_limit_exceeded"}}',
    code: "context_overflow",
  },
  {
    from: "a proxy, of a long request,",
    status: 413,
    body: "<html>Request Entity Too Large</html>",
    code: "context_overflow",
  },
  {
    from: "OpenRouter, in the words of the provider behind it,",
    status: 400,
    body: JSON.stringify({
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
          provider_name: "Anthropic",
        },
      },
    }),
    code: "context_overflow",
  },
  {
    from: "xAI, of what it does not answer,",
    status: 403,
    body: '{"code":"permission-denied","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}',
    code: "refused",
  },
  {
    from: "xAI, of a key without rights,",
    status: 403,
    body: '{"code":"permission-denied","error":"Access to the chat endpoint is denied."}',
    code: "auth",
  },
  {
    from: "Qwen, of what it does not answer,",
    status: 400,
    body: '{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}',
    code: "refused",
  },
  {
    from: "DeepSeek, of what it does not answer,",
    status: 400,
    body: '{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}',
    code: "refused",
  },
  {
    from: "Moonshot, of what it does not answer,",
    status: 400,
    body: '{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}',
    code: "refused",
  },
  {
    from: "OpenAI, of what it does not answer,",
    status: 400,
    body: '{"error":{"message":"This content was flagged for possible cybersecurity risk.","type":"invalid_request"}}',
    code: "refused",
  },
  {
    from: "Qwen, of a free quota,",
    status: 403,
    body: '{"error":{"code":"AllocationQuota.FreeTierOnly","message":"The free quota has been exhausted. Add a way to pay."}}',
    code: "quota",
  },
  {
    from: "Qwen, of the tokens of a minute,",
    status: 429,
    body: '{"error":{"code":"insufficient_quota","message":"You exceeded your current quota, see https://help.example/error-code#token-limit"}}',
    code: "rate_limited",
  },
  {
    from: "Bedrock, of the tokens of a day,",
    status: 429,
    body: '{"message":"Too many tokens per day, please wait before trying again."}',
    code: "quota",
  },
  {
    from: "Cohere, of the calls of a month,",
    status: 429,
    body: '{"message":"A Trial key is limited to 1000 API calls / month."}',
    code: "quota",
  },
  {
    from: "LiteLLM, of a spent budget,",
    status: 400,
    body: '{"error":{"message":"ExceededBudget: Spend=10.1, Budget=10.0","type":"budget_exceeded","code":"400"}}',
    code: "quota",
  },
  {
    from: "New API, of a spent token,",
    status: 403,
    body: '{"error":{"message":"token remain quota not enough","code":"pre_consume_token_quota_failed"}}',
    code: "quota",
  },
  {
    from: "Mistral, of a model in demand,",
    status: 429,
    body: '{"object":"error","message":"Service tier capacity exceeded for this model.","code":"3505"}',
    code: "overloaded",
  },
  {
    from: "NVIDIA, of a host that is down,",
    status: 400,
    body: '{"status":400,"title":"Bad Request","detail":"Function id 23d4: DEGRADED function cannot be invoked"}',
    code: "overloaded",
  },
  {
    from: "MiniMax, of what it does not answer,",
    status: 400,
    body: '{"type":"error","error":{"type":"bad_request_error","message":"input new_sensitive (1026)"}}',
    code: "refused",
  },
  {
    from: "Anthropic, of an account that is closed,",
    status: 400,
    body: '{"type":"error","error":{"type":"invalid_request_error","message":"This organization has been disabled."}}',
    code: "auth",
  },
  {
    from: "Groq, of a call that it cannot read,",
    status: 400,
    body: '{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed"}}',
    code: "incomplete_stream",
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

test("an HTML page in place of a stream is reported as a wrong base URL", async () => {
  const page = () => new Response("<!doctype html>", { headers: { "content-type": "text/html; charset=utf-8" } });
  await expect(answerWith(page)).rejects.toMatchObject({ code: "network", detail: { provider: "local" } });
});

test("a page that denies access comes from a proxy, which knows no key", async () => {
  const headers = { "content-type": "text/html" };
  const page = () => new Response("<html>Blocked by policy</html>", { status: 403, headers });
  await expect(answerWith(page)).rejects.toMatchObject({ code: "network", detail: { provider: "local" } });
});

test("no content in place of a stream, as some captive portals answer, is no defect", async () => {
  const nothing = () => new Response(null, { status: 204 });
  await expect(answerWith(nothing)).rejects.toMatchObject({ code: "network", detail: { provider: "local" } });
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
