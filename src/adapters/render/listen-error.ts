import { type AppError, ConfigError, toAppError } from "../../core/protocol/errors.ts";
import { systemCode } from "../../core/protocol/system-code.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Names of the environment variables that set the host and the port. */
  readonly variables: { readonly host: string; readonly port: string };
}

/** Explains to the operator, in one line, why a server cannot listen. */
export function listenError(error: unknown, { host, port, variables }: ListenAddress): AppError {
  switch (systemCode(error)) {
    case "EADDRINUSE":
      return new ConfigError([`Port ${port} is in use. Set ${variables.port} to a free one.`]);
    case "EACCES":
      return new ConfigError([
        `Port ${port} needs more rights than this process has. Set ${variables.port} above 1023.`,
      ]);
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "EINVAL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ConfigError([`This machine has no address ${host}. Set ${variables.host} to 127.0.0.1.`]);
    default:
      return toAppError(error);
  }
}
