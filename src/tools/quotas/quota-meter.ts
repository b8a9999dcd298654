import { Refusal } from "../wasm/workspace/refusal.ts";
import { type Bucket, fullText, isOfDay } from "./bucket.ts";
import { BLOCK_BYTES } from "./disk-usage.ts";

/** Thrown if the limit of a root, person or channel leaves no room. */
export class QuotaExceeded extends Refusal {}

/** Counts a call's writes against the limits that apply to it. */
export interface QuotaMeter {
  /** Reserves room before a write; throws QuotaExceeded. */
  reserve(bytes: number): void;
  /** Gives back the room of removed data. */
  release(bytes: number): void;
  /** Reserves room for former contents of files; false if there is none. */
  reserveKept(bytes: number): boolean;
}

export const UNBOUNDED: QuotaMeter = { reserve: () => {}, release: () => {}, reserveKept: () => true };

/** The remainder of a limit, shared by all calls that count against it. */
export interface OpenBucket extends Pick<Bucket, "kind" | "limit"> {
  readonly left: BigInt64Array<SharedArrayBuffer>;
}

/** A call's limits and what it has taken, readable by the thread that outlives it. */
export interface QuotaAllowance {
  readonly buckets: readonly OpenBucket[];
  readonly taken: BigInt64Array<SharedArrayBuffer>;
}

/**
 * Indices in `taken`: bytes added to the root, bytes kept, and for a refusal the bucket (counted from 1), its remainder
 * and the bytes asked for.
 */
export const TAKEN = { bytes: 0, kept: 1, fullBucket: 2, fullLeft: 3, fullAsked: 4, length: 5 } as const;

export function quotaMeterOf({ buckets, taken }: QuotaAllowance): QuotaMeter {
  const takeFrom = (from: readonly OpenBucket[], bytes: number): { at: OpenBucket; left: number } | null => {
    for (const [index, bucket] of from.entries()) {
      const before = Number(Atomics.sub(bucket.left, 0, BigInt(bytes)));
      if (before >= bytes) continue;
      for (const each of from.slice(0, index + 1)) Atomics.add(each.left, 0, BigInt(bytes));
      return { at: bucket, left: before };
    }
    return null;
  };
  const note = (place: number, bytes: number) => Atomics.add(taken, place, BigInt(bytes));
  const kept = buckets.filter(({ kind }) => kind === "kept");
  const written = buckets.filter(({ kind }) => kind !== "kept");
  return {
    reserve(bytes) {
      if (bytes <= 0) return;
      const full = takeFrom(written, bytes);
      if (full === null) {
        note(TAKEN.bytes, bytes);
        return;
      }
      Atomics.store(taken, TAKEN.fullBucket, BigInt(buckets.indexOf(full.at) + 1));
      Atomics.store(taken, TAKEN.fullLeft, BigInt(full.left));
      Atomics.store(taken, TAKEN.fullAsked, BigInt(bytes));
      throw new QuotaExceeded(fullText(full.at, full.left, bytes));
    },
    release(bytes) {
      if (bytes <= 0) return;
      // A call gives back at most as much of a day's growth as it took, so deleting what others wrote makes no extra
      // room.
      const own = Math.min(bytes, Math.max(0, Number(Atomics.load(taken, TAKEN.bytes))));
      for (const bucket of written) Atomics.add(bucket.left, 0, BigInt(isOfDay(bucket) ? own : bytes));
      note(TAKEN.bytes, -bytes);
    },
    reserveKept(bytes) {
      if (takeFrom(kept, bytes) !== null) return false;
      note(TAKEN.kept, bytes);
      return true;
    },
  };
}

/** Runs work that changes the size of files by so many bytes; if it fails, nothing is taken. */
export function withQuota<T>(quota: QuotaMeter, bytes: number, work: () => T): T {
  quota.reserve(bytes);
  try {
    const result = work();
    quota.release(-bytes);
    return result;
  } catch (error) {
    quota.release(bytes);
    throw error;
  }
}

/** Runs work that makes directories, at most one for each part of the path, and counts those that are made. */
export function withDirectoryQuota<T>(quota: QuotaMeter, path: string, work: (made: () => void) => T): T {
  let unused = path.split("/").length * BLOCK_BYTES;
  quota.reserve(unused);
  try {
    return work(() => {
      unused -= BLOCK_BYTES;
    });
  } finally {
    quota.release(unused);
  }
}
