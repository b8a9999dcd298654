import { AppError, PlatformError } from "../../../core/protocol/errors.ts";

export function threadGone(threadId: string): PlatformError {
  return new PlatformError("thread_gone", `there is no local thread ${threadId}`);
}

/** Turns store failures into platform failures: for local threads, the store stands in for the platform's servers. */
export async function asPlatformErrors<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new PlatformError("platform_failed", "the store of local threads failed", { cause });
  }
}
