import { expect, test } from "vitest";
import { DefectError, ProviderError } from "../../../src/core/protocol/errors.ts";
import { CATALOG } from "../../../src/core/providers/catalog.ts";
import { type ErrorContext, toProviderError } from "../../../src/core/providers/provider-errors.ts";
import { PLAIN } from "../../../src/core/providers/quirks.ts";

const NOW = Date.parse("2026-11-21T00:00:00Z");
const context: ErrorContext = {
  provider: "google",
  providerName: "Google Gemini",
  model: "gemini-3.8-flash",
  keyVariable: "GEMINI_API_KEY",
  quirks: PLAIN,
  now: NOW,
};

function sdkError(status: number | undefined, error: unknown, headers: Record<string, string> = {}): Error {
  const message =
    typeof error === "object" && error !== null && "message" in error ? String(error.message) : "(no body)";
  return Object.assign(new Error(message), { status, error, headers: new Headers(headers) });
}

test("an error names whom it concerns and what to set", () => {
  const error = toProviderError(sdkError(401, { message: "bad key" }), context);
  expect(error).toBeInstanceOf(ProviderError);
  expect(error.detail).toEqual({
    status: "401",
    provider: "google",
    providerName: "Google Gemini",
    model: "gemini-3.8-flash",
    keyVariable: "GEMINI_API_KEY",
  });
});

const waits: readonly {
  said: string;
  headers: Record<string, string>;
  message: string;
  retryAfterMs: number | undefined;
}[] = [
  { said: "milliseconds", headers: { "retry-after-ms": "1500" }, message: "", retryAfterMs: 1_500 },
  { said: "seconds", headers: { "retry-after": "2.5" }, message: "", retryAfterMs: 2_500 },
  { said: "a date", headers: { "retry-after": "Sat, 21 Nov 2026 00:00:09 GMT" }, message: "", retryAfterMs: 9_000 },
  { said: "a past date", headers: { "retry-after": "Fri, 20 Nov 2026 00:00:00 GMT" }, message: "", retryAfterMs: 0 },
  { said: "words", headers: {}, message: "Please retry in 21.5s.", retryAfterMs: 21_500 },
  { said: "words in milliseconds", headers: {}, message: "Please try again in 250ms.", retryAfterMs: 250 },
  { said: "words in minutes", headers: {}, message: "Please try again in 7m12.5s.", retryAfterMs: 432_500 },
  { said: "words in hours", headers: {}, message: "Please try again in 1h2m3s.", retryAfterMs: 3_723_000 },
  { said: "whole words", headers: {}, message: "Please retry after 20 seconds.", retryAfterMs: 20_000 },
  { said: "a wait", headers: {}, message: "Please wait 41 seconds.", retryAfterMs: 41_000 },
  { said: "nothing", headers: {}, message: "too fast", retryAfterMs: undefined },
];
test.each(waits)("a wait said as $said is understood", ({ headers, message, retryAfterMs }) => {
  const error = toProviderError(sdkError(429, { message }, headers), context);
  expect(error).toMatchObject({ code: "rate_limited", retryAfterMs });
});

test("a ChatGPT plan whose limit is reached says when it resets", () => {
  const body = {
    type: "usage_limit_reached",
    message: "The usage limit has been reached",
    resets_in_seconds: 13_872.4,
  };
  expect(toProviderError(sdkError(429, body), context)).toMatchObject({
    code: "rate_limited",
    retryAfterMs: 13_873_000,
  });
});

test("Groq's limit of a day is a rate limit, since it names the wait", () => {
  const message = "Rate limit reached on tokens per day (TPD): Limit 100000, Used 99336. Please try again in 30m54s.";
  expect(toProviderError(sdkError(429, { message }), context)).toMatchObject({
    code: "rate_limited",
    retryAfterMs: 1_854_000,
  });
});

test("Google's rate limit, worded as a quota, is a rate limit when it names the wait", () => {
  const message = "You exceeded your current quota, please check your plan and billing details. Please retry in 12.3s.";
  expect(toProviderError(sdkError(429, { message }), context)).toMatchObject({
    code: "rate_limited",
    retryAfterMs: 12_300,
  });
});

test("a status that only the body of a stream's error carries counts", () => {
  expect(toProviderError(sdkError(undefined, { code: 429, message: "upstream is busy" }), context).code).toBe(
    "rate_limited",
  );
  expect(toProviderError(sdkError(undefined, { code: 502, message: "bad gateway" }), context).code).toBe(
    "provider_failed",
  );
});

test("a provider's own words, codes and silences are known where its quirks say so", () => {
  const quirks = { ...PLAIN, silentOverflow: true, quotaCodes: ["1308"], overflowPatterns: [/prompt tokens exceed/i] };
  const own = { ...context, quirks };
  expect(toProviderError(sdkError(400, undefined), own).code).toBe("context_overflow");
  expect(toProviderError(sdkError(400, undefined), context).code).toBe("bad_request");
  expect(toProviderError(sdkError(429, { code: "1308", message: "limit" }), own).code).toBe("quota");
  expect(toProviderError(sdkError(400, { message: "the prompt tokens exceed 8192" }), own).code).toBe(
    "context_overflow",
  );
});

const bedrocks = [
  { status: 400, message: "The provided model identifier is invalid.", code: "unknown_model" },
  {
    status: 400,
    message: "Invocation of model ID anthropic.claude-opus-5 with on-demand throughput isn’t supported.",
    code: "unknown_model",
  },
  { status: 400, message: "Input is too long for requested model.", code: "context_overflow" },
  { status: 403, message: "The security token included in the request is invalid.", code: "auth" },
  { status: 429, message: "Too many tokens, please wait before trying again.", code: "rate_limited" },
  { status: 503, message: "Bedrock is unable to process your request.", code: "overloaded" },
];
test.each(bedrocks)("Bedrock's $status “$message” is $code", ({ status, message, code }) => {
  expect(toProviderError(sdkError(status, { message }), context).code).toBe(code);
});

const overflows = [
  {
    from: "xAI",
    message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  },
  {
    from: "Moonshot",
    message: "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
  },
  { from: "Qwen", message: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]" },
  { from: "Zhipu", message: "Prompt exceeds max length" },
  { from: "vLLM", message: "The decoder prompt (length 45000) is longer than the maximum model length of 32768." },
  { from: "OpenRouter", message: "Input length 300000 exceeds the maximum allowed input length of 262144 tokens." },
  {
    from: "Together AI",
    message: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4078 `inputs` tokens",
  },
  { from: "Perplexity", message: "The total length of all messages is too long." },
  { from: "Amazon Nova", message: "Input Tokens Exceeded: Number of input tokens exceeds maximum length." },
  { from: "a gateway", message: "Prompt exceeds token limit: 150000 > 148000" },
  { from: "another gateway", message: "Input tokens exceed the configured limit of 272000 tokens." },
  {
    from: "Vertex AI",
    message: "The request cannot be sent: the input token count is 1251952 but model only supports up to 1048576.",
  },
  { from: "Bedrock's Mantle", message: "prompt tokens (12345) exceed model maximum (8192)" },
  { from: "Hugging Face", message: "Input validation error: `inputs` must have less than 1024 tokens. Given: 3000" },
  { from: "SiliconFlow", message: "length of prompt_tokens (16021) must be less than max_seq_len (8192)." },
];
test.each(overflows)("$from's “$message” is an overflow of the context", ({ message }) => {
  expect(toProviderError(sdkError(400, { message, type: "invalid_request_error" }), context).code).toBe(
    "context_overflow",
  );
});

const disguised = [
  {
    status: 429,
    code: "rate_limit_exceeded",
    message: "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 61337.",
  },
  { status: 500, code: 500, message: "Context size has been exceeded." },
  { status: undefined, code: 500, message: "Context size has been exceeded." },
];
test.each(disguised)("“$message” with $status is an overflow: no waiting helps", ({ status, code, message }) => {
  expect(toProviderError(sdkError(status, { code, message }), context).code).toBe("context_overflow");
});

test("an account of xAI that has no credits yet has a key that is right", () => {
  const message = "Your newly created team doesn't have any credits yet.";
  expect(toProviderError(sdkError(403, { message }), context).code).toBe("quota");
});

const spent = [
  { from: "Novita", status: 403, body: { code: "NOT_ENOUGH_BALANCE", message: "top up first" } },
  { from: "Qwen", status: 403, body: { message: "The free tier of the model has been exhausted." } },
  { from: "Moonshot", status: 403, body: { type: "exceeded_current_quota_error", message: "org-1 is not active" } },
  { from: "Google", status: 429, body: { code: 429, message: "The prepayment credits are depleted." } },
  { from: "Google Cloud", status: 403, body: { message: "requires billing to be enabled" } },
  { from: "Ollama", status: 429, body: { message: "you have reached your weekly usage limit" } },
  {
    from: "MiniMax",
    status: 429,
    body: { message: "usage limit exceeded, 5-hour usage limit reached for Token Plan" },
  },
  { from: "Cerebras", status: 429, body: { code: "token_quota_exceeded", message: "Tokens per day limit exceeded" } },
  { from: "Moonshot, by the day,", status: 429, body: { message: "request reached organization TPD rate limit" } },
  { from: "Copilot", status: 429, body: { code: "quota_exceeded", message: "You have no quota" } },
  { from: "Anthropic", status: 400, body: { message: "You have reached your specified workspace API usage limits." } },
  { from: "OpenAI", status: 429, body: { code: "billing_not_active", message: "the account is not active" } },
];
test.each(spent)("$from's account that pays for nothing more is told from a wrong key and a rate", (account) => {
  expect(toProviderError(sdkError(account.status, account.body), context).code).toBe("quota");
});

const noSuchModels = [
  { from: "OpenRouter", body: { code: 400, message: "some-model is not a valid model ID" } },
  { from: "LiteLLM", body: { code: "400", message: "Invalid model name passed in model=some-model" } },
  { from: "Mistral", body: { code: "1500", type: "invalid_model", message: "Invalid model: some-model" } },
  { from: "Groq", body: { code: "model_decommissioned", message: "some-model is gone" } },
  { from: "Together AI", body: { code: "model_not_available", message: "some-model needs an endpoint" } },
];
test.each(noSuchModels)("a model that $from does not serve is unknown, though the status is 400", ({ body }) => {
  expect(toProviderError(sdkError(400, body), context).code).toBe("unknown_model");
});

test("a model that NVIDIA has retired is unknown", () => {
  const message = "The model 'some-model' has reached its end of life.";
  expect(toProviderError(sdkError(410, { message }), context).code).toBe("unknown_model");
});

test("too many tokens for the moment, said within a stream, are a rate limit", () => {
  const body = { type: "rate_limit_error", message: "Too many tokens, please wait before trying again." };
  expect(toProviderError(sdkError(undefined, body), context).code).toBe("rate_limited");
});

test.each([
  { status: 429, code: "1113", message: "请充值", is: "quota" },
  { status: 429, code: "1308", message: "请充值", is: "quota" },
  { status: 429, code: "1310", message: "请充值", is: "quota" },
  { status: 400, code: "1261", message: "Prompt 超长", is: "context_overflow" },
  { status: 400, code: "1211", message: "模型不存在", is: "unknown_model" },
])("Zhipu's $code, worded in Chinese, is $is", ({ status, code, message, is }) => {
  const quirks = CATALOG.find(({ id }) => id === "zhipu")?.quirks ?? PLAIN;
  expect(toProviderError(sdkError(status, { code, message }), { ...context, quirks }).code).toBe(is);
});

const outputLimits = [
  "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens",
  "`max_completion_tokens` must be at most `8192`: its maximum is less than the `context_window` for this model",
];
test.each(outputLimits)("a limit on output tokens is no overflow of the context: %s", (message) => {
  expect(toProviderError(sdkError(400, { message }), context).code).toBe("bad_request");
});

test("an error of ours is found inside the SDK's wrapping", () => {
  const inner = new ProviderError("stalled", "no byte for 45000 ms");
  const outer = new Error("Connection error.", { cause: new TypeError("fetch failed", { cause: inner }) });
  expect(toProviderError(outer, context)).toMatchObject({ code: "stalled", detail: { provider: "google" } });
});

test("what nobody but we can have caused is a defect", () => {
  expect(toProviderError(new TypeError("x is not a function"), context)).toBeInstanceOf(DefectError);
});

const unfit = [
  {
    status: 404,
    message: 'No endpoints found that support tool use. Try disabling "bash".',
    reason: "name a model that",
  },
  { status: 404, message: "No endpoints found that support the provided 'tool_choice' value.", reason: "name a model" },
  { status: 400, message: "tools is not supported in this model.", reason: "name a model" },
  { status: 400, message: "Functions are not supported for this API version.", reason: "name a model" },
  { status: 405, message: "Tool calling is not supported for model: mistral/small", reason: "name a model" },
  { status: 400, message: "`tool calling` is not supported with this model", reason: "name a model" },
  { status: 400, message: "Function calling is not enabled for models/gemma-3-27b-it", reason: "name a model" },
  { status: 400, message: "The model does not support tool use or function calling", reason: "name a model" },
  { status: 400, message: "gemma3:latest does not support tools", reason: "name a model" },
  { status: 400, message: "This model does not support Function Calling", reason: "name a model" },
  { status: 400, message: "This model doesn't support tool use in streaming mode.", reason: "name a model" },
  {
    status: 400,
    message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    reason: "must start it with `--enable-auto-tool-choice`",
  },
  { status: 404, message: "No endpoints found matching your data policy (Free model training).", reason: "privacy" },
  {
    status: 404,
    message: "No endpoints available matching your guardrail restrictions and data policy.",
    reason: "privacy",
  },
  { status: 404, message: "No allowed providers are available for the selected model.", reason: "provider settings" },
  { status: 403, message: "Project `p` does not have access to model `gpt-6`", reason: "ask the provider for access" },
  {
    status: 403,
    message: "You don't have access to the model with the specified model ID.",
    reason: "ask the provider",
  },
  { status: 404, message: "Model use case details have not been submitted for this account.", reason: "ask the" },
  { status: 400, message: "Your organization must be verified to stream this model.", reason: "ask the provider" },
  { status: 403, message: "this model requires a subscription, upgrade for access", reason: "ask the provider" },
  { status: 400, message: "User location is not supported for the API use.", reason: "of another provider" },
  { status: 403, message: "Country, region, or territory not supported", reason: "of another provider" },
  { status: 500, message: "model requires more system memory (16.2 GiB) than is available", reason: "a smaller model" },
  { status: 403, message: "Model access is denied due to INVALID_PAYMENT_INSTRUMENT", reason: "ask the provider" },
  { status: 401, message: "key not allowed to access model. It can only access a", reason: "ask the provider" },
  { status: 400, message: "The model `m` requires terms acceptance.", reason: "ask the provider" },
  { status: 403, message: "The model `m` is blocked at the project level.", reason: "ask the provider" },
  { status: 429, message: "To use Codex with your ChatGPT plan, upgrade to Plus", reason: "ask the provider" },
  { status: 400, message: "'m' is not supported when using Codex with a ChatGPT account.", reason: "ask the provider" },
  {
    status: 400,
    message: "no endpoints available for this model under your current plan",
    reason: "provider settings",
  },
  { status: 403, message: "The model m is not available in your region.", reason: "of another provider" },
  { status: 400, message: "Access is not allowed from unsupported countries", reason: "of another provider" },
  { status: 503, message: "No available channel for model gpt-6 under group default", reason: "provider settings" },
];
test.each(unfit)("of “$message” an operator is told what to do", ({ status, message, reason }) => {
  const error = toProviderError(sdkError(status, { message }), context);
  expect(error).toMatchObject({ code: "unknown_model", detail: { reason: expect.stringContaining(reason) } });
});

const aboutFields = [
  "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
  "Function tools with reasoning_effort are not supported for gpt-6 in /v1/chat/completions.",
  "This model does not support tool messages without a call.",
];
test.each(aboutFields)("“%s” is about the request, not the model", (message) => {
  expect(toProviderError(sdkError(400, { message }), context).code).toBe("bad_request");
});
