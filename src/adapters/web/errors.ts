import { AppError, ConfigError, PlatformError, toAppError } from "../../core/protocol/errors.ts";

/** Why the server cannot listen, as one line for the operator. */
export function listenError(error: unknown, address: { readonly host: string; readonly port: number }): AppError {
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return new ConfigError([`Port ${address.port} is in use. Set PORT to a free one.`]);
    case "EACCES":
      return new ConfigError([`Port ${address.port} needs more rights than this process has. Set PORT above 1023.`]);
    case "EADDRNOTAVAIL":
      return new ConfigError([`This machine has no address ${address.host}. Set HOST to 127.0.0.1.`]);
    default:
      return toAppError(error);
  }
}

/** What the store threw, as an error of the platform: to the core, the store is the platform's far side. */
export function storeError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new PlatformError("platform_failed", "the web page's store failed", { cause: error });
}

export function threadGone(threadId: string): PlatformError {
  return new PlatformError("thread_gone", `the web page has no thread ${threadId}`);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
