import type { Clock } from "../../core/protocol/runtime.ts";

export interface RunTimeLimitOptions {
  readonly clock: Clock;
  /** Time that the run used before it was parked or interrupted, in milliseconds. */
  readonly usedMs: number;
  readonly timeoutMs: number;
  /** Stores how much time was used. Never rejects. */
  readonly save: (ms: number) => Promise<void>;
  /** Called when all time is used. Never rejects. */
  readonly onExpired: () => Promise<void>;
}

/** Interval at which the used time is stored, in milliseconds. A killed process loses at most this much. */
const SAVE_EVERY_MS = 10_000;

/** Limits a run's time. It counts while the run or its sub-agents work, and resumes where it stopped. */
export class RunTimeLimit {
  /** `onExpired` and `save` never reject. */
  readonly #options: RunTimeLimitOptions;
  #usedMs: number;
  #beganAt: number;
  #cancelSave: () => void;
  readonly #cancelEnd: () => void;

  constructor(options: RunTimeLimitOptions) {
    const { clock, usedMs, timeoutMs } = options;
    this.#options = options;
    this.#usedMs = usedMs;
    this.#beganAt = clock.now();
    this.#cancelEnd = clock.after(Math.max(0, timeoutMs - usedMs), () => this.#end());
    this.#cancelSave = this.#scheduleSave();
  }

  async pause(): Promise<void> {
    this.#cancelEnd();
    this.#cancelSave();
    await this.#options.save(this.#count());
  }

  #scheduleSave(): () => void {
    return this.#options.clock.after(SAVE_EVERY_MS, () => {
      this.#cancelSave = this.#scheduleSave();
      const usedMs = this.#count();
      this.#options.save(usedMs).catch(() => undefined);
      // Tries again in case the run could not be stopped, for example because the database was unreachable.
      if (usedMs >= this.#options.timeoutMs) this.#end();
    });
  }

  #end(): void {
    this.#options.onExpired().catch(() => undefined);
  }

  /** Adds the time since the last count, but at most one interval, in case the clock was changed. */
  #count(): number {
    const now = this.#options.clock.now();
    this.#usedMs += Math.min(SAVE_EVERY_MS, Math.max(0, now - this.#beganAt));
    this.#beganAt = now;
    return this.#usedMs;
  }
}
