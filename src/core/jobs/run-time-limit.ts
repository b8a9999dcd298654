import type { Clock } from "../protocol/runtime.ts";

export interface RunTimeLimitOptions {
  readonly clock: Clock;
  /** Time that the run used before it was parked or interrupted, in milliseconds. */
  readonly hadMs: number;
  readonly timeoutMs: number;
  /** Stores how much time was used. Never rejects. */
  readonly keep: (ms: number) => Promise<void>;
  /** Called when all time is used. Never rejects. */
  readonly isUp: () => Promise<void>;
}

/** Interval at which the used time is stored, in milliseconds. A killed process loses at most this much. */
const BEAT_MS = 10_000;

/** Limits a run's time. It counts while the run or its sub-agents work, and resumes where it stopped. */
export class RunTimeLimit {
  /** `isUp` and `keep` never reject. */
  readonly #options: RunTimeLimitOptions;
  #hadMs: number;
  #beganAt: number;
  #cancelBeat: () => void;
  readonly #cancelEnd: () => void;

  constructor(options: RunTimeLimitOptions) {
    const { clock, hadMs, timeoutMs } = options;
    this.#options = options;
    this.#hadMs = hadMs;
    this.#beganAt = clock.now();
    this.#cancelEnd = clock.after(Math.max(0, timeoutMs - hadMs), () => this.#end());
    this.#cancelBeat = this.#beat();
  }

  async pause(): Promise<void> {
    this.#cancelEnd();
    this.#cancelBeat();
    await this.#options.keep(this.#count());
  }

  #beat(): () => void {
    return this.#options.clock.after(BEAT_MS, () => {
      this.#cancelBeat = this.#beat();
      const hadMs = this.#count();
      this.#options.keep(hadMs).catch(() => undefined);
      // Tries again in case the run could not be stopped, for example because the database was unreachable.
      if (hadMs >= this.#options.timeoutMs) this.#end();
    });
  }

  #end(): void {
    this.#options.isUp().catch(() => undefined);
  }

  /** Adds the time since the last count, but at most one interval, in case the clock was changed. */
  #count(): number {
    const now = this.#options.clock.now();
    this.#hadMs += Math.min(BEAT_MS, Math.max(0, now - this.#beganAt));
    this.#beganAt = now;
    return this.#hadMs;
  }
}
