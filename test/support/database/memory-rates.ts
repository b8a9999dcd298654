import { TokenBucket } from "../../../src/adapters/render/pacing/token-bucket.ts";
import type { RateBucket } from "../../../src/core/platform/descriptor.ts";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import type { RateRequest, RateResult, SharedRates } from "../../../src/core/shared-rates.ts";

/** Counts requests for any number of processes on the test's clock; each answer takes the next of the delays. */
export class MemoryRates implements SharedRates {
  readonly #clock: Clock;
  readonly #delays: readonly number[];
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #closedUntil = new Map<string, number>();
  #asked = 0;

  constructor(clock: Clock, delays: readonly number[] = [1]) {
    this.#clock = clock;
    this.#delays = delays;
  }

  take({ bucket: name, gate, rate, reserved }: RateRequest, answered: (answer: RateResult) => void): void {
    const now = this.#clock.now();
    const bucket = this.#bucket(name, rate);
    const closedMs = Math.max(0, (this.#closedUntil.get(gate) ?? 0) - now);
    const isTaken = closedMs === 0 && bucket.waitMs(now, reserved) === 0;
    if (isTaken) bucket.take(now);
    const answer = { isTaken, lacksMs: bucket.lacksMs(now), closedMs };
    this.#clock.after(this.#delays[this.#asked++ % this.#delays.length] ?? 1, () => answered(answer));
  }

  refund(name: string, rate: RateBucket): void {
    this.#bucket(name, rate).refund();
  }

  reportDeficit(name: string, rate: RateBucket, lacksMs: number): void {
    const now = this.#clock.now();
    const bucket = this.#bucket(name, rate);
    bucket.set(now, Math.max(lacksMs, bucket.lacksMs(now)));
  }

  closeGate(gate: string, forMs: number): void {
    this.#closedUntil.set(gate, Math.max(this.#closedUntil.get(gate) ?? 0, this.#clock.now() + forMs));
  }

  #bucket(name: string, rate: RateBucket): TokenBucket {
    const bucket = this.#buckets.get(name) ?? new TokenBucket(rate);
    this.#buckets.set(name, bucket);
    return bucket;
  }
}
