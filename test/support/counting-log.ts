import type { Log } from "../../src/core/protocol/log.ts";

/** Counts the warnings that an operator would see. */
export class CountingLog implements Log {
  warnings = 0;
  debug(): void {}
  info(): void {}
  warn(): void {
    this.warnings += 1;
  }
  error(): void {
    this.warnings += 1;
  }
  child(): Log {
    return this;
  }
}
