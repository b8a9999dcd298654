import type { Log } from "../../../src/core/protocol/log.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly event: string;
  readonly fields: object;
}

/** Records log lines, for tests of what an operator would find. */
export class RecordingLog implements Log {
  readonly lines: LogLine[];

  constructor(lines: LogLine[] = []) {
    this.lines = lines;
  }

  debug(fields: object, event: string): void {
    this.lines.push({ level: "debug", event, fields });
  }

  info(fields: object, event: string): void {
    this.lines.push({ level: "info", event, fields });
  }

  warn(fields: object, event: string): void {
    this.lines.push({ level: "warn", event, fields });
  }

  error(fields: object, event: string): void {
    this.lines.push({ level: "error", event, fields });
  }

  child(): Log {
    return this;
  }
}
