import type { Log } from "../../src/core/protocol/log.ts";

/** A log that discards everything. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};
