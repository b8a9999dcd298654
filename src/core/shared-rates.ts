import type { RateBucket } from "./platform/descriptor.ts";

export interface RateRequest {
  /** The bucket's name, unique among all shared buckets. */
  readonly bucket: string;
  /** Name of the API method, which a 429 of the platform closes for a while. */
  readonly gate: string;
  readonly rate: RateBucket;
  /** Number of tokens reserved for other requests. */
  readonly reserved: number;
}

export interface RateResult {
  readonly isTaken: boolean;
  /** Milliseconds until the bucket is full. */
  readonly lacksMs: number;
  /** Milliseconds until the gate opens. */
  readonly closedMs: number;
}

/**
 * Token buckets shared by all processes, which together stay within each rate, timed by the clock of the bucket store.
 * Tokens taken by a process that has died refill with time.
 */
export interface SharedRates {
  /** Asks for a token; the answer arrives soon even if the store does not respond. */
  take(ask: RateRequest, answered: (answer: RateResult) => void): void;
  /** Returns an unused token. */
  refund(bucket: string, rate: RateBucket): void;
  /** Reports the least time, in milliseconds, until the bucket is full, judged by this process's own use. */
  reportDeficit(bucket: string, rate: RateBucket, lacksMs: number): void;
  /** Closes a gate because the platform asked to wait; no tokens are given for it meanwhile. */
  closeGate(gate: string, forMs: number): void;
}
