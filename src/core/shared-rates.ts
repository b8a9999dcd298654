import type { RateBucket } from "./protocol/platform.ts";

/** One token of a bucket is asked for. */
export interface RateAsk {
  /** The bucket's name among all that processes share. */
  readonly bucket: string;
  /** What a platform's 429 closes: the name of a method. */
  readonly gate: string;
  readonly rate: RateBucket;
  /** Tokens that are left to others. */
  readonly kept: number;
}

export interface RateAnswer {
  readonly isTaken: boolean;
  /** Until the bucket is full. Milliseconds. */
  readonly lacksMs: number;
  /** Until the gate opens. Milliseconds. */
  readonly closedMs: number;
}

/**
 * Token buckets that processes share, by the clock of whoever keeps them: all of them together keep within each rate. What a
 * process that is gone has taken comes in again as time passes.
 */
export interface SharedRates {
  /** Answers soon, whatever happens. */
  take(ask: RateAsk, answered: (answer: RateAnswer) => void): void;
  /** Returns a token that was not used. */
  giveBack(bucket: string, rate: RateBucket): void;
  /** The bucket is full after so many milliseconds at the earliest, by what this process alone knows. */
  lacks(bucket: string, rate: RateBucket, lacksMs: number): void;
  /** The platform has asked to wait: nothing is taken through the gate meanwhile. */
  close(gate: string, forMs: number): void;
}
