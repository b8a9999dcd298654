import type { SessionHandler, TurnContext, Wake } from "../engine/engine.ts";
import type { Log } from "../protocol/log.ts";

/** A run that has begun but waits for a place. */
export interface QueuedRun {
  readonly wake: Wake;
  readonly context: TurnContext;
}

export interface QueuePositionsOptions {
  /** Sessions that wait, in the order they will run. */
  readonly waiting: () => readonly string[];
  /** Null while nothing runs. */
  readonly handler: () => Pick<SessionHandler, "queued"> | null;
  readonly after: (ms: number, fire: () => void) => void;
  readonly log: Log;
}

/** Each place that falls free moves all who wait: they are told together, so often. Milliseconds. */
const TELL_EVERY_MS = 500;

/** Runs that wait for a place, and what they are told of those before them. */
export class QueuePositions {
  readonly #options: QueuePositionsOptions;
  readonly #queued = new Map<string, QueuedRun>();
  #state: "told" | "resting" | "moved" = "told";

  constructor(options: QueuePositionsOptions) {
    this.#options = options;
  }

  add(sessionId: string, run: QueuedRun): void {
    this.#queued.set(sessionId, run);
  }

  delete(sessionId: string): void {
    this.#queued.delete(sessionId);
  }

  has(sessionId: string): boolean {
    return this.#queued.has(sessionId);
  }

  /** Tells at once, or when those who were told a moment ago have had their rest. */
  moved(): void {
    if (this.#state !== "told") {
      this.#state = "moved";
      return;
    }
    if (this.#queued.size === 0) return;
    this.#state = "resting";
    this.#tell();
    this.#options.after(TELL_EVERY_MS, () => {
      const hasMoved = this.#state === "moved";
      this.#state = "told";
      if (hasMoved) this.moved();
    });
  }

  #tell(): void {
    const { waiting, handler, log } = this.#options;
    for (const [before, sessionId] of waiting().entries()) {
      const run = this.#queued.get(sessionId);
      if (run === undefined) continue;
      handler()
        ?.queued(run.wake, run.context, before)
        .catch((error: unknown) => log.warn({ err: error, sessionId }, "queue_position_not_shown"));
    }
  }
}
