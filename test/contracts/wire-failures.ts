import type { ErrorCode } from "../../src/core/protocol/errors.ts";
import {
  earlyEof,
  httpError,
  midStreamError,
  overloaded,
  overloadedMidStream,
  type Reply,
  rateLimited,
  serverError,
  stop,
  text,
  unauthorized,
} from "../support/model/model-script.ts";

export interface WireFailure {
  readonly what: string;
  readonly reply: Reply;
  readonly code: ErrorCode;
  readonly retryAfterMs?: number;
}

/** Error responses of providers, and the error code that every wire must make of them. */
export const FAILURES: readonly WireFailure[] = [
  { what: "an unpaid account", reply: httpError(402, "payment", "Please top up"), code: "quota" },
  { what: "a wrong key", reply: unauthorized(), code: "auth" },
  {
    what: "a forbidden model",
    reply: httpError(403, "permission_error", "Your key may not use this model"),
    code: "auth",
  },
  {
    what: "an empty account",
    reply: httpError(400, "invalid_request_error", "Your credit balance is too low to access the API."),
    code: "quota",
  },
  {
    what: "a spent quota",
    reply: httpError(
      429,
      "insufficient_quota",
      "You exceeded your current quota, please check your plan and billing details.",
    ),
    code: "quota",
  },
  {
    what: "an enforced spend limit",
    reply: httpError(429, "rate_limit_error", "EnforcedSpendLimitReachedError: the workspace's limit"),
    code: "quota",
  },
  { what: "too many requests", reply: rateLimited(7), code: "rate_limited", retryAfterMs: 7_000 },
  { what: "overload (529)", reply: overloaded(), code: "overloaded" },
  {
    what: "overload (503)",
    reply: httpError(503, "service_unavailable", "Service unavailable"),
    code: "overloaded",
  },
  { what: "overload in mid-stream", reply: [text("a"), overloadedMidStream()], code: "overloaded" },
  {
    what: "a rate limit in mid-stream",
    reply: [text("a"), midStreamError("rate_limit_error", "slow down please")],
    code: "rate_limited",
  },
  {
    what: "a failure in mid-stream",
    reply: [text("a"), midStreamError("api_error", "Internal error")],
    code: "provider_failed",
  },
  {
    what: "a prompt that is too long",
    reply: httpError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    code: "context_overflow",
  },
  {
    what: "a context that is exceeded",
    reply: httpError(400, "context_length_exceeded", "Your input exceeds the context window of this model."),
    code: "context_overflow",
  },
  {
    what: "a refused request",
    reply: httpError(400, "invalid_request_error", "messages.0: something is off"),
    code: "bad_request",
  },
  { what: "an unknown model", reply: httpError(404, "not_found_error", "model: nothing-1"), code: "unknown_model" },
  { what: "an inner error", reply: serverError(), code: "provider_failed" },
  { what: "a gateway's timeout", reply: httpError(504, "timeout", "gateway timeout"), code: "provider_failed" },
  {
    what: "a refused content",
    reply: httpError(400, "content_policy_violation", "This request violates our content policy"),
    code: "refused",
  },
  { what: "a model that declines", reply: [stop("refusal")], code: "refused" },
  { what: "an empty answer", reply: [], code: "empty_response" },
  { what: "a stream without its end", reply: [text("a"), earlyEof()], code: "incomplete_stream" },
];
