import type { Log } from "../../src/core/protocol/log.ts";

/** Counts what an operator would be warned of. */
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
