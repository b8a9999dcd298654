import type { ErrorCode } from "./errors.ts";

/** Errors that may be over by the time somebody tries again. */
export const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "rate_limited",
  "overloaded",
  "stalled",
  "incomplete_stream",
  "network",
  "provider_failed",
]);

/** Errors with which no attempt has done anything wrong: another of the same may go well. */
export const WORTH_ANOTHER_ATTEMPT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...PASSING,
  "empty_response",
  "sandbox_failed",
]);

/** Failures after which nothing can be written in the thread, or in its channel. */
export const UNWRITABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["thread_gone", "missing_scope"]);

/** Failures of a platform that may pass; all others need an operator. */
export const PASSES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "network",
  "platform_failed",
  "platform_rate_limited",
]);
