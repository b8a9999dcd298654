import type { Ids, Random } from "../../src/core/protocol/runtime.ts";

/** A generator that gives equal sequences for equal seeds (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = state;
      t = Math.imul(t ^ (t >>> 15), t | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}

/** Sequential ids: `run_000001`. */
export function countingIds(): Ids {
  let last = 0;
  return {
    next(prefix) {
      last += 1;
      return `${prefix}_${String(last).padStart(6, "0")}`;
    },
  };
}
