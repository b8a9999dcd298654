import type { Clock } from "../../src/core/protocol/runtime.ts";

interface Timer {
  at: number;
  readonly order: number;
  readonly fire: () => void;
}

/**
 * A clock that stands still until a test moves it. Timers fire in order of time, then of creation. Between two timers
 * all ready promises settle, so that the effects of one timer can set the next before the clock moves on.
 */
export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(startMs = 1_800_000_000_000) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, fn: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, fire: fn };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = this.after(ms, () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      });
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Sets the displayed time, as people and networks do. Timers count elapsed time, so they fire as before. */
  set(nowMs: number): void {
    const byMs = nowMs - this.#now;
    const timers = [...this.#timers];
    this.#now = nowMs;
    for (const timer of timers) timer.at += byMs;
  }

  /** Timers that have not fired yet. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the time by `ms`, firing the timers that fall due. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (let next = this.#earliest(); next !== undefined && next.at <= until; next = this.#earliest()) {
      await this.#fire(next);
    }
    this.#now = until;
    await settled();
  }

  /** Fires timers until none is left. `maxTimers` guards against timers that renew themselves endlessly. */
  async runAll(maxTimers = 100_000): Promise<void> {
    await settled();
    let fired = 0;
    for (let next = this.#earliest(); next !== undefined; next = this.#earliest()) {
      fired += 1;
      if (fired > maxTimers) throw new Error(`more than ${maxTimers} timers fired`);
      await this.#fire(next);
    }
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.fire();
    await settled();
  }

  #earliest(): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) {
      if (
        earliest === undefined ||
        timer.at < earliest.at ||
        (timer.at === earliest.at && timer.order < earliest.order)
      ) {
        earliest = timer;
      }
    }
    return earliest;
  }
}

/** Settles every ready promise, however long its chain, since a macrotask runs after all microtasks. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
