import { AppError, PlatformError } from "../../core/protocol/errors.ts";

/** What the store threw, as an error of the platform: to the core, the store is the platform's far side. */
export function storeError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new PlatformError("platform_failed", "the web page's store failed", { cause: error });
}

export function threadGone(threadId: string): PlatformError {
  return new PlatformError("thread_gone", `the web page has no thread ${threadId}`);
}
