import { type Bucket, fullText } from "../../quotas/bucket.ts";
import { type QuotaAllowance, TAKEN } from "../../quotas/quota-meter.ts";
import type { Grown } from "./messages.ts";

/** The remainder of each limit, shared by the threads whose calls count against it. */
export class QuotaAllowances {
  readonly #left = new Map<string, BigInt64Array<SharedArrayBuffer>>();

  /**
   * Opens the limits of one call. While other calls count against the same limit, the shared counter is kept, since the
   * bot does not know yet what they took.
   */
  open(buckets: readonly Bucket[]): QuotaAllowance {
    const opened = buckets.map(({ key, kind, limit, left, isAlone }) => {
      const known = isAlone ? undefined : this.#left.get(key);
      if (known !== undefined) return { kind, limit, left: known };
      const counter = this.#left.get(key) ?? counters(1);
      Atomics.store(counter, 0, BigInt(left));
      this.#left.set(key, counter);
      return { kind, limit, left: counter };
    });
    return { buckets: opened, taken: counters(TAKEN.length) };
  }
}

function counters(count: number): BigInt64Array<SharedArrayBuffer> {
  return new BigInt64Array(new SharedArrayBuffer(count * BigInt64Array.BYTES_PER_ELEMENT));
}

/** What an ended call has taken, and why it was refused more. */
export function grownOf({ buckets, taken }: QuotaAllowance): Grown {
  const at = (place: number): number => Number(Atomics.load(taken, place));
  const bucket = buckets[at(TAKEN.fullBucket) - 1];
  const full = bucket === undefined ? null : fullText(bucket, at(TAKEN.fullLeft), at(TAKEN.fullAsked));
  return { type: "grown", bytes: at(TAKEN.bytes), kept: at(TAKEN.kept), full };
}
