import { systemCode } from "./system-code.ts";

/**
 * Errors that people may see have a code, which `explain` turns into a sentence (see explain.ts). `message` is for the
 * log, never for a person.
 */

export type ErrorCode =
  // providers
  | "auth" // the key is missing, wrong or not allowed to use the model
  | "quota" // spending limit or billing: retrying cannot help
  | "rate_limited" // too many requests now; `retryAfterMs` may say how long
  | "overloaded" // the provider is out of capacity
  | "stalled" // no byte for longer than the stall limit
  | "incomplete_stream" // the stream ended without its terminal marker
  | "context_overflow" // the request is longer than the model's window
  | "bad_request" // the provider rejects the request's content
  | "unknown_model"
  | "unknown_provider"
  | "unpriced_model" // a limit in dollars applies and the model's price is unknown; `detail.reason` says what to set
  | "network" // could not reach the other side
  | "provider_failed" // a 5xx or any other failure of the provider
  | "empty_response" // the model returned nothing at all
  | "refused" // the model or its provider declined to answer
  | "repeating" // the model repeats the same call, to no effect
  // platforms
  | "missing_scope" // the platform wants a permission; `detail.scope` names it
  | "platform_auth" // the platform's token is expired, revoked or wrong
  | "thread_gone" // the thread or channel no longer exists, or the bot was removed
  | "platform_rate_limited"
  | "platform_failed"
  | "attachment_unreadable"
  // Deckhand itself
  | "config" // the operator must mend the configuration
  | "stale_owner" // another process owns the session now; nothing may be written
  | "database_newer"
  | "disk_full" // nothing more can be written
  | "sandbox_limit" // time, memory or output limit of a guest
  | "sandbox_failed"
  | "defect"; // a bug: `ref` is the code that people see and operators search for

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** How long the other side asked to wait. Milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /**
   * What `explain` needs to be concrete: provider, model, key, scope … Never secrets. `sent: "no"` means that the
   * request was never sent and can be repeated at once; `refused: "unknown"`, that the other side answered with an
   * unknown refusal.
   */
  readonly detail?: Readonly<Record<string, string>>;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly detail: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.detail = options.detail ?? {};
  }
}

export class ProviderError extends AppError {}
export class PlatformError extends AppError {}
export class SandboxError extends AppError {}
export class StoreError extends AppError {}

/** All mistakes in the operator's configuration, one line each, naming the key and how to mend it. */
export class ConfigError extends AppError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super("config", problems.join("\n"));
    this.problems = problems;
  }
}

/** A bug in Deckhand itself. */
export class DefectError extends AppError {
  constructor(message: string, cause?: unknown) {
    super("defect", message, { cause });
  }
}

/** The disk is full, or this user's quota is used up. Source: errno(3). */
export const DISK_FULL_CODES: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

/** Turns any thrown value into an AppError. Anything but an AppError or a full disk is a defect. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (DISK_FULL_CODES.has(systemCode(error))) return new AppError("disk_full", message, { cause: error });
  return new DefectError(message, error);
}
