import type { RateBucket } from "../../../core/protocol/platform.ts";

/** How far a caller's `now` may lie behind, and pauses ahead. Milliseconds. */
const TOLERANCE_MS = 30_000;

/** `burst` tokens at once, then one per `everyMs`. Times are milliseconds of the caller's clock. */
export class TokenBucket {
  readonly #rate: RateBucket;
  /** When the bucket is full again: the tokens missing now are what comes in until then. */
  #fullAt = 0;

  constructor(rate: RateBucket) {
    this.#rate = rate;
  }

  /** Milliseconds until a token is there beside those that are kept; 0 when it can be taken now. */
  waitMs(now: number, kept = 0): number {
    const emptyMs = this.#rate.burst * this.#rate.everyMs;
    // No bucket lacks more than all its tokens: a clock that was set back would have it wait until it is as late again.
    if (this.#fullAt - now > emptyMs + TOLERANCE_MS) this.#fullAt = now + emptyMs;
    return Math.max(0, this.#fullAt - now - (this.#rate.burst - 1 - kept) * this.#rate.everyMs);
  }

  /** Milliseconds until it is full. */
  lacksMs(now: number): number {
    return Math.max(0, this.#fullAt - now);
  }

  /** Somebody else keeps count: it is full after so many milliseconds. */
  set(now: number, lacksMs: number): void {
    this.#fullAt = now + lacksMs;
  }

  take(now: number): void {
    this.#fullAt = Math.max(this.#fullAt, now) + this.#rate.everyMs;
  }

  giveBack(): void {
    this.#fullAt -= this.#rate.everyMs;
  }

  /** For so long no tokens came in. */
  pause(ms: number): void {
    this.#fullAt += ms;
  }

  /** The platform counted otherwise: nothing is left. */
  drain(now: number): void {
    this.#fullAt = Math.max(this.#fullAt, now + this.#rate.burst * this.#rate.everyMs);
  }

  isFull(now: number): boolean {
    return this.#fullAt <= now;
  }
}
