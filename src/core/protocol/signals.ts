import { type CancelCause, causeText } from "./cancel-cause.ts";
/** The run was stopped and ends as cancelled. */
export class CancelSignal extends Error {
  override readonly cause: CancelCause;
  constructor(cause: CancelCause) {
    super(`cancelled by ${causeText(cause)}`);
    this.name = "AbortError";
    this.cause = cause;
  }
}

/** Shutdown or lost ownership: the run stays open and continues in the next process. */
export class SuspendSignal extends Error {
  /** How much longer a call that must not run twice may take to end. Milliseconds. */
  readonly drainMs: number;
  constructor(reason: string, drainMs = 0) {
    super(reason);
    this.name = "AbortError";
    this.drainMs = drainMs;
  }
}
