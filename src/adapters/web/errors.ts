import { ConfigError } from "../../core/protocol/errors.ts";

export function notLoopback(host: string): ConfigError {
  return new ConfigError([`HOST is ${host}, but the web page listens on loopback only. Set HOST to 127.0.0.1.`]);
}

export function weakToken(): ConfigError {
  return new ConfigError(["The web page's token must be 16 or more letters, digits, - or _."]);
}
