import { AppError, PlatformError } from "../../../core/protocol/errors.ts";

/** What the store threw, as an error of the platform: to the core, the store is the platform's far side. */
export function storeError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new PlatformError("platform_failed", "the store of local threads failed", { cause: error });
}

export function threadGone(threadId: string): PlatformError {
  return new PlatformError("thread_gone", `there is no local thread ${threadId}`);
}

export function unreadable(name: string, reason: string): PlatformError {
  return new PlatformError("attachment_unreadable", `attachment ${name}: ${reason}`, { detail: { name, reason } });
}

/** What is asked of the store, failing as the platform fails. */
export async function fromStore<T>(asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    throw storeError(error);
  });
}
