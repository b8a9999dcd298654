import type { RateBucket } from "../../../core/platform/descriptor.ts";

/** Allowance for callers whose `now` lies in the past, and for pauses that push `#fullAt` ahead. In milliseconds. */
const TOLERANCE_MS = 30_000;

/** Holds up to `burst` tokens and gains one every `everyMs`. Times are milliseconds of the caller's clock. */
export class TokenBucket {
  readonly #rate: RateBucket;
  /** When the bucket will be full again; the time until then stands for the missing tokens. */
  #fullAt = 0;

  constructor(rate: RateBucket) {
    this.#rate = rate;
  }

  /** Milliseconds until there is a token beyond the `kept` ones; 0 if one can be taken now. */
  waitMs(now: number, kept = 0): number {
    const emptyMs = this.#rate.burst * this.#rate.everyMs;
    // A bucket never lacks more than all its tokens; if it seems to, the clock was set back.
    if (this.#fullAt - now > emptyMs + TOLERANCE_MS) this.#fullAt = now + emptyMs;
    return Math.max(0, this.#fullAt - now - (this.#rate.burst - 1 - kept) * this.#rate.everyMs);
  }

  /** Milliseconds until the bucket is full. */
  lacksMs(now: number): number {
    return Math.max(0, this.#fullAt - now);
  }

  /** Adopts a count kept elsewhere: the bucket is full after `lacksMs`. */
  set(now: number, lacksMs: number): void {
    this.#fullAt = now + lacksMs;
  }

  take(now: number): void {
    this.#fullAt = Math.max(this.#fullAt, now) + this.#rate.everyMs;
  }

  refund(): void {
    this.#fullAt -= this.#rate.everyMs;
  }

  /** Records that no tokens arrived for this long. */
  pause(ms: number): void {
    this.#fullAt += ms;
  }

  /** Empties the bucket, because the platform's count differs from ours. */
  drain(now: number): void {
    this.#fullAt = Math.max(this.#fullAt, now + this.#rate.burst * this.#rate.everyMs);
  }

  isFull(now: number): boolean {
    return this.#fullAt <= now;
  }
}
