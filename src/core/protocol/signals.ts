/** A person's stop: the run ends as cancelled. */
export class CancelSignal extends Error {
  /** As people read it, e.g. `@ana`. */
  readonly by: string;
  constructor(by: string) {
    super(`cancelled by ${by}`);
    this.name = "AbortError";
    this.by = by;
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
