import { type CancelCause, causeText } from "./cancel-cause.ts";
/** The run is stopped, and ends as cancelled. */
export class CancelSignal extends Error {
  override readonly cause: CancelCause;
  constructor(cause: CancelCause) {
    super(`cancelled by ${causeText(cause)}`);
    this.name = "AbortError";
    this.cause = cause;
  }
}

/** Shutdown or lost ownership: the run stays open and goes on in the next process. */
export class SuspendSignal extends Error {
  /** How long a call that must not run again may still take to end. Milliseconds. */
  readonly drainMs: number;
  constructor(reason: string, drainMs = 0) {
    super(reason);
    this.name = "AbortError";
    this.drainMs = drainMs;
  }
}
