import { ConfigError } from "../../core/protocol/errors.ts";

export function weakToken(): ConfigError {
  return new ConfigError(["The web page's token must be 16 or more letters, digits, - or _."]);
}
