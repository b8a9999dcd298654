import type { SessionHandler, TurnContext, Wake } from "../engine/engine.ts";
import type { Log } from "../protocol/log.ts";

/** A run that has begun but waits for a slot. */
export interface QueuedRun {
  readonly wake: Wake;
  readonly context: TurnContext;
}

export interface QueuePositionsOptions {
  /** Waiting sessions, in the order in which they will run. */
  readonly waiting: () => readonly string[];
  /** Null while the engine is stopped. */
  readonly handler: () => Pick<SessionHandler, "queued"> | null;
  readonly after: (ms: number, fire: () => void) => void;
  readonly log: Log;
}

/** Minimum interval between updates of all positions, in milliseconds. Each freed slot moves everybody who waits. */
const TELL_EVERY_MS = 500;

/** Keeps people informed of the queue positions of their waiting runs. */
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

  /** Updates positions at once, or when the interval since the last update is over. */
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
