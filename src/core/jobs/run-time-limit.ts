import type { Clock } from "../protocol/runtime.ts";

export interface RunTimeLimitOptions {
  readonly clock: Clock;
  /** What the run had before: it was parked, or cut by a restart. Milliseconds. */
  readonly hadMs: number;
  readonly timeoutMs: number;
  /** Writes down how much it has had. Never rejects. */
  readonly keep: (ms: number) => Promise<void>;
  /** It has had all of it. Never rejects. */
  readonly isUp: () => Promise<void>;
}

/** How often a run's time is written down: a killed process forgets at most so much. Milliseconds. */
const BEAT_MS = 10_000;

/** A run's time: it counts while the run or its sub-agents work, and goes on where it was. */
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
      // The run goes on where it could not be stopped, as by a database that was away for that moment.
      if (hadMs >= this.#options.timeoutMs) this.#end();
    });
  }

  #end(): void {
    this.#options.isUp().catch(() => undefined);
  }

  /** Between two beats no more than a beat has passed, whatever clocks that are set say. */
  #count(): number {
    const now = this.#options.clock.now();
    this.#hadMs += Math.min(BEAT_MS, Math.max(0, now - this.#beganAt));
    this.#beganAt = now;
    return this.#hadMs;
  }
}
