import type { ErrorCode } from "./errors.ts";

/** Errors that may be over at the next try. */
export const TRANSIENT_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "rate_limited",
  "overloaded",
  "stalled",
  "incomplete_stream",
  "network",
  "provider_failed",
]);

/** Errors that are no fault of the attempt, so that the same attempt may succeed. */
export const RETRYABLE_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...TRANSIENT_ERRORS,
  "empty_response",
  "sandbox_failed",
]);

/** Failures after which nothing can be written in the thread or its channel. */
export const UNWRITABLE_THREAD_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["thread_gone", "missing_scope"]);

/** Platform failures that may pass; all others need an operator. */
export const TRANSIENT_PLATFORM_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "network",
  "platform_failed",
  "platform_rate_limited",
]);
