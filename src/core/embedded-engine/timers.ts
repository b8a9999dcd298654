import type { Clock } from "../protocol/runtime.ts";

/** Timers of one owner, who takes them all back in the end: one that is left would keep the process alive. */
export class Timers {
  readonly #clock: Pick<Clock, "after">;
  readonly #cancels = new Set<() => void>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** As `clock.after`. */
  after(ms: number, fire: () => void): () => void {
    const cancelTimer = this.#clock.after(ms, () => {
      this.#cancels.delete(cancel);
      fire();
    });
    const cancel = () => {
      this.#cancels.delete(cancel);
      cancelTimer();
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  cancelAll(): void {
    for (const cancel of this.#cancels) cancel();
  }
}
