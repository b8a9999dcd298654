import { z } from "zod";
import { AppError, type ErrorCode, ProviderError, toAppError } from "../protocol/errors.ts";
import { causeChain, systemCode } from "../protocol/system-code.ts";
import type { Quirks } from "./quirks.ts";
import type { Endpoint } from "./wire.ts";

/** The context of an error: the provider and model to name, and the provider's wording. */
export interface ErrorContext extends Pick<Endpoint, "keyVariable"> {
  readonly provider: string;
  readonly providerName: string;
  readonly model: string;
  readonly quirks: Pick<Quirks, "overflowPatterns" | "silentOverflow" | "quotaCodes">;
  /** In milliseconds since the Unix epoch, for a retry-after that is a date. */
  readonly now: number;
}

export function errorContext({ id, name, keyVariable, quirks }: Endpoint, model: string, now: number): ErrorContext {
  return { provider: id, providerName: name, model, keyVariable, quirks, now };
}

/** The common facts of both SDKs' errors and of errors inside streams. */
interface Facts {
  readonly status: number | undefined;
  /** Code and type from the error body, in lower case. */
  readonly codes: readonly string[];
  readonly message: string;
  /** The message of the provider behind a gateway. Source: OpenRouter docs, Errors: ProviderErrorMetadata. */
  readonly raw: string;
  readonly headers: Headers | null;
  readonly hasBody: boolean;
  /** Whether moderation gave reasons. Source: OpenRouter docs, Errors: ModerationErrorMetadata. */
  readonly moderated: boolean;
}

const OVERFLOW: readonly RegExp[] = [
  /prompt is too long/i,
  // Groq mentions the window when it rejects the limit of an answer.
  /(?<!less than the `?)context[_ ](length|window)/i,
  /maximum context/i,
  /exceeds? (the )?(maximum|model's|available)? ?(number of )?(input )?(tokens|context)/i,
  /input (is )?too long/i,
  /too many (input )?tokens/i,
  /reduce the length/i,
  /input token count.{0,200}(exceeds|only supports)/i,
  /request_too_large|request exceeds the maximum size/i,
  // In the words of xAI, Moonshot, Qwen, SiliconFlow, Zhipu, vLLM, Poolside's models on OpenRouter, Together AI,
  // Perplexity, Amazon's models, Bedrock's Mantle and gateways.
  /maximum prompt length is \d+/i,
  /exceeded model token limit/i,
  /range of input length should be/i,
  /length of prompt_tokens.{0,50}must be less than/i,
  /prompt exceeds max length/i,
  /longer than the maximum model length/i,
  /exceeds the maximum allowed input length/i,
  /`inputs` (tokens \+ `max_new_tokens` must be|must have less than)/i,
  /total length of all messages is too long/i,
  /input tokens exceeds? (maximum length|the configured limit)/i,
  /(prompt|input) exceeds (token limit|maximum input length|[\d,]+ tokens)/i,
  /configured context size|more than max tokens allowed|prompt tokens \(\d+\) exceed/i,
];
/** Too long despite the status: llama.cpp's 500; OpenAI's 429 for more tokens than it accepts in a minute. */
const ALWAYS_OVERFLOW = /context size has been exceeded|request too large for/i;
/** The wording for a request of many tokens that comes too early, rather than one that is too long. */
const EARLY = /rate_limit|throttl/i;
const QUOTA: readonly RegExp[] = [
  /insufficient[_ ](user[_ ])?(quota|balance|credits?|funds)/i,
  /balance is (too low|insufficient)/i,
  /exceeded[_ ](your[_ ])?current[_ ]quota/i,
  /enforcedspendlimit|spend(ing)? limit/i,
  /billing[_ ](hard[_ ])?(limit|error|not[_ ]active)/i,
  /payment required|out of credits?|credits are depleted/i,
  // In the words of Anthropic, OpenRouter (a key's limit, a day's free requests), xAI, Qwen and Novita.
  /specified (workspace )?api usage limits/i,
  /key limit exceeded|free-models-per-day/i,
  /doesn.t have any credits/i,
  /arrearage|account is in good standing|free (tier of the model|quota) has been exhausted/i,
  /not[_ ]enough[_ ]balance/i,
  // Google's projects without billing, Copilot, Bedrock's day, Cohere's month, the budgets of LiteLLM and New API.
  /billing to be enabled|have no quota|tokens per day, please wait|calls \/ month|budget[_ ]exceeded|exceededbudget|quota (is )?not enough/i,
  // A plan's hours and weeks (Ollama, MiniMax), and the day of Cerebras and Moonshot, which no retry waits for.
  /(hour|hourly|daily|weekly|monthly|session) usage limit|per (day|month) limit exceeded|TPD rate limit/i,
];
/** Google also names a wait of seconds for a daily quota, and for a quota of zero. */
const NO_WAIT_HELPS = /limit: 0\b|PerDay/;
/** Qwen's link about the tokens of a minute, whose limit it words as a quota. */
const MINUTE_LIMIT = /error-code#token-limit/;
const OVERLOADED =
  /overloaded|server_is_overloaded|(over|at|maximum) capacity|capacity[_ ]exceeded|degraded function|slow_down/i;
/** The last wordings are from OpenAI (`cyber_policy`), Qwen, DeepSeek, Moonshot, MiniMax and Zhipu. */
const REFUSED =
  /content[_ ]?(policy|filter)|safety|invalid_prompt|policy_violation|blocked by|flagged for possible|inappropriate content|content exists risk|considered high risk|new_sensitive|unsafe or sensitive|不安全或敏感/i;
/** From OpenRouter, with 404, and llama.cpp, with 500. Neither waiting nor another name of the model helps. */
const NO_IMAGES = /support image input|image input is not supported|content part type: "image_url"/i;
/** Google and xAI answer a wrong key with 400, Anthropic and Groq one of an account that they have closed. */
const WRONG_KEY =
  /authentication_error|invalid_api_key|permission_error|api key (not valid|not found|expired)|incorrect api key|organization has been (disabled|restricted)/i;
/** An input was flagged, not an account, which would mean that the key is rejected. */
const FLAGGED = /^(?!.*\baccount\b).*\bflagged\b|violates usage guidelines/is;
/** The last wordings are from Bedrock, OpenRouter, Zhipu, Mistral, Groq, Together AI, Azure and LiteLLM, with 400. */
const UNKNOWN_MODEL =
  /model[_ ]?not[_ ]?(found|exist|supported)|unknown model|no such model|model .{0,100}(does not exist|not found)|model identifier is invalid|on-demand throughput isn.t supported|not a valid model id|模型不存在|\binvalid_model\b|model_decommissioned|model_not_available|unavailable_model|invalid model name/i;
/**
 * Why an existing model cannot be used, as worded by OpenRouter, OpenAI, Azure, DeepInfra, Groq, Google, xAI, Qwen,
 * DeepSeek, Bedrock, Ollama, New API and vLLM, and what an operator can do about it.
 */
const UNUSABLE_MODELS: readonly (readonly [RegExp, string])[] = [
  [
    /requires --enable-auto-tool-choice/,
    "its server does not take tool calls. An operator must start it with `--enable-auto-tool-choice` and `--tool-call-parser`",
  ],
  [
    /that support (tool use|the provided 'tool_choice')|(not|n.t) support (tools\b|(tool|function) (use|calls?|calling))|(?<!\w)(tools?|functions?)([ _](use|calls?|calling))?[`'"]? (is|are) not (supported|enabled)/i,
    "it does not call tools. An operator must name a model that does",
  ],
  [
    /no endpoints (found|available) matching|no allowed providers are available|all providers have been ignored|no available channel|no endpoints available for this model under/i,
    "the account's settings leave no host for it. An operator must change its privacy or provider settings, or name another model",
  ],
  [
    /(not|n.t) have access to (the )?model|model access is denied|not allowed to access model|use case details have not been submitted|organization must be verified|requires (a subscription|terms acceptance)|blocked at the (project|organization) level|(with your chatgpt plan, upgrade|not supported when using codex)/i,
    "the account may not use it yet. An operator must ask the provider for access, or name another model",
  ],
  [
    /(location|country|region).{0,30} not supported|not available in your (country|region)|unsupported countries/i,
    "it is not offered where this machine is. An operator must name a model of another provider",
  ],
  [/requires more system memory/, "its machine has too little memory for it. An operator must name a smaller model"],
];
/** The bundler numbers the second of two classes with the same name. */
const CONNECTION = /^APIConnection(?:Timeout)?Error\d*$/;

/** Converts any failure of a call to a ProviderError, except for defects of this program. */
export function toProviderError(error: unknown, context: ErrorContext): AppError {
  const own = causeChain(error).find((cause) => cause instanceof AppError);
  if (own !== undefined) return own instanceof ProviderError ? withDetail(own, context) : own;
  const facts = factsOf(error);
  const unusable = facts === null ? undefined : UNUSABLE_MODELS.find(([pattern]) => pattern.test(facts.message))?.[1];
  const code =
    unusable !== undefined ? "unknown_model" : facts === null ? connectionCode(error) : codeOf(facts, context);
  if (code === null) return toAppError(error);
  const status = facts?.status === undefined ? {} : { status: String(facts.status) };
  return new ProviderError(code, `${messageOf(error)} ${facts?.raw ?? ""}`.trimEnd(), {
    cause: error,
    detail: { ...detailOf(context), ...status, ...(unusable === undefined ? {} : { reason: unusable }) },
    retryAfterMs: facts === null ? undefined : retryAfter(facts, context.now),
  });
}

/** A failure found in a provider's answer by this program. */
export function providerFailure(code: ErrorCode, message: string, context: ErrorContext): ProviderError {
  return new ProviderError(code, message, { detail: detailOf(context) });
}

function detailOf(context: Omit<ErrorContext, "now" | "quirks">): Record<string, string> {
  const { provider, providerName, model, keyVariable } = context;
  return { provider, providerName, model, ...(keyVariable === null ? {} : { keyVariable }) };
}

function withDetail(error: ProviderError, context: ErrorContext): ProviderError {
  if (error.detail["provider"] !== undefined) return error;
  return new ProviderError(error.code, error.message, {
    cause: error.cause,
    detail: { ...detailOf(context), ...error.detail },
    retryAfterMs: error.retryAfterMs,
  });
}

const bodySchema = z.object({
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
  type: z.string().nullish().catch(undefined),
  message: z.string().nullish().catch(undefined),
  status: z.string().nullish().catch(undefined),
  /** How long a ChatGPT plan that has reached its limit has to wait. */
  resets_in_seconds: z.number().nullish().catch(undefined),
  metadata: z
    .object({ reasons: z.array(z.unknown()).optional().catch(undefined), raw: z.string().optional().catch(undefined) })
    .nullish()
    .catch(undefined),
});
const sdkErrorSchema = z.object({
  status: z.number().optional().catch(undefined),
  error: z.unknown().optional(),
  headers: z.unknown().optional(),
  message: z.string().catch(""),
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
  type: z.string().nullish().catch(undefined),
});
const nestedSchema = z.object({ error: z.unknown() });

/** The facts of an SDK's error; null if the provider did not respond at all. */
function factsOf(error: unknown): Facts | null {
  const parsed = sdkErrorSchema.safeParse(error);
  if (!parsed.success) return null;
  const { status, error: body, headers, message, code, type } = parsed.data;
  if (status === undefined && body === undefined) return null;
  const bodies = [body, nestedSchema.safeParse(body).data?.error].flatMap(
    (value) => bodySchema.safeParse(value).data ?? [],
  );
  const found = [code, type, ...bodies.flatMap((each) => [each.code, each.type, each.status])];
  const codes = found.flatMap((value) => (value == null || value === "" ? [] : [String(value).toLowerCase()]));
  // Errors inside a stream have the status as the body's code, if at all.
  const inBand = codes.map(Number).find((value) => value >= 400 && value < 600);
  const raw = bodies.map(({ metadata }) => metadata?.raw ?? "").join("");
  return {
    status: status ?? inBand,
    codes,
    message: [message, ...bodies.map((each) => each.message ?? ""), raw, ...bodies.map(resetText)].join(" "),
    raw,
    headers: headers instanceof Headers ? headers : null,
    hasBody: body !== undefined && body !== null && body !== "",
    moderated: bodies.some(({ metadata }) => (metadata?.reasons?.length ?? 0) > 0),
  };
}

function resetText({ resets_in_seconds: seconds }: z.infer<typeof bodySchema>): string {
  return seconds == null ? "" : `Try again in ${Math.ceil(seconds)} s.`;
}

function codeOf(facts: Facts, { quirks }: ErrorContext): ErrorCode {
  const { status, codes } = facts;
  const wording = `${codes.join(" ")} ${facts.message}`;
  const matches = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(wording));
  const mayOverflow =
    status === undefined ? !EARLY.test(wording) : status >= 400 && status < 500 && status !== 401 && status !== 429;
  if (ALWAYS_OVERFLOW.test(wording)) return "context_overflow";
  if (mayOverflow && (status === 413 || matches([...OVERFLOW, ...quirks.overflowPatterns]))) return "context_overflow";
  if (quirks.silentOverflow && !facts.hasBody && status === 400) return "context_overflow";
  // Groq: the model wrote an unreadable call; the next attempt may be better.
  if (codes.includes("tool_use_failed")) return "incomplete_stream";
  // Google words a rate limit as a quota, but names a wait, which an empty account never has.
  const namesWait = retryAfter(facts, 0) !== undefined && !NO_WAIT_HELPS.test(wording);
  if (status === 402 || codes.some((code) => quirks.quotaCodes.includes(code))) return "quota";
  const isRate = MINUTE_LIMIT.test(facts.message) || (namesWait && /retry/i.test(facts.message));
  if (matches(QUOTA) && !(status === 429 && isRate)) return "quota";
  if (status === 403 && (facts.moderated || FLAGGED.test(wording))) return "refused";
  return codeOfStatus(status, wording);
}

function codeOfStatus(status: number | undefined, wording: string): ErrorCode {
  if (NO_IMAGES.test(wording)) return "bad_request";
  if (status === 529 || status === 503 || OVERLOADED.test(wording)) return "overloaded";
  if (status === 401 || status === 403 || WRONG_KEY.test(wording)) return "auth";
  if (status === 429 || /rate_limit/.test(wording)) return "rate_limited";
  if (status === 404 || status === 410 || UNKNOWN_MODEL.test(wording) || /not_found_error/.test(wording))
    return "unknown_model";
  if (REFUSED.test(wording) && (status === undefined || status < 500)) return "refused";
  if (status === 408 || status === 409 || status === 425) return "provider_failed";
  if ((status !== undefined && status < 500) || /invalid_request_error/.test(wording)) return "bad_request";
  return "provider_failed";
}

/** The code of a failure without a response, of a broken connection or an invalid response; null for a defect. */
function connectionCode(error: unknown): ErrorCode | null {
  if (error instanceof SyntaxError) return "provider_failed";
  const isBroken = (cause: unknown) =>
    cause instanceof Error &&
    (CONNECTION.test(cause.constructor.name) ||
      /fetch failed|terminated|socket|connection error|network/i.test(cause.message) ||
      /^(E[A-Z]+|UND_ERR_\w+)$/.test(systemCode(cause) ?? ""));
  return causeChain(error).some(isBroken) ? "network" : null;
}

/** The wait that the provider asks for, in milliseconds, from a header (ms, seconds or a date) or the message. */
function retryAfter({ headers, message }: Facts, now: number): number | undefined {
  const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const header = headers?.get("retry-after");
  if (header != null && header !== "") {
    const seconds = Number(header);
    if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
    const date = Date.parse(header);
    if (Number.isFinite(date)) return Math.max(0, date - now);
  }
  const worded = WORDED_WAIT.exec(message)?.[1];
  if (worded === undefined) return undefined;
  const parts = [...worded.matchAll(WAIT_PART)];
  return Math.round(parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs(unit), 0));
}

/** `21.5s`, `250ms`, `1h2m3.5s`, `20 seconds`. */
const WORDED_WAIT =
  /(?:retry|try again|wait)[^0-9]{0,30}((?:\d{1,9}(?:\.\d{1,9})?\s?(?:ms|[hms]|hours?|min(?:ute)?s?|sec(?:ond)?s?)(?![a-z])\s?)+)/i;
const WAIT_PART = /(\d{1,9}(?:\.\d{1,9})?)\s?(ms|[hms])/gi;

function unitMs(unit = ""): number {
  switch (unit.toLowerCase()) {
    case "ms":
      return 1;
    case "m":
      return 60_000;
    case "h":
      return 3_600_000;
    default:
      return 1000;
  }
}

const paramSchema = z.object({ param: z.string() });

/** The message, with the field that OpenAI rejects, which the message itself may not name. */
function messageOf(error: unknown): string {
  const param = paramSchema.safeParse(error).data?.param;
  const message = error instanceof Error ? error.message : String(error);
  return param === undefined || message.includes(param) ? message : `${message} (${param})`;
}
