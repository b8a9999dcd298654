import type { Clock } from "../protocol/runtime.ts";

/** The timers of one owner, who cancels them all at the end. A remaining timer would keep the process alive. */
export class Timers {
  readonly #clock: Pick<Clock, "after">;
  readonly #cancels = new Set<() => void>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

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
