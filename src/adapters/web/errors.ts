import { ConfigError } from "../../core/protocol/errors.ts";

export function weakToken(): ConfigError {
  return new ConfigError([
    "The web page's token, the file web-token in DECKHAND_HOME, must be 16 or more letters, digits, - or _. Remove the file; the next start creates a new one.",
  ]);
}
