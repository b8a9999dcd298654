import { similarity } from "../meaning/vectors.ts";
import type { Found } from "./full-text.ts";

/** What a question means. */
export interface Meant {
  readonly vector: Float32Array;
  /** How alike it and any memory are. */
  readonly usual: number;
}

/** How a memory means what is asked. */
export interface Alike {
  /** By its place among those that mean most alike: 1 for the first, 0 for what was not compared. */
  readonly part: number;
  /** How much of what is asked it may hold: 0 where it is hardly more alike than any. */
  readonly share: number;
}

/** Places after which a part is half of the first one's. */
const HALF_PLACES = 10;
/** Between what is usual and the same, what counts as half of what is asked. Tuned as ranking.ts is. */
const HALF_ALIKE = 0.4;

export function alikeTo(
  meant: Meant | null,
  readings: readonly { readonly found: Pick<Found, "vector"> }[],
): readonly Alike[] {
  const all: Alike[] = readings.map(() => ({ part: 0, share: 0 }));
  if (meant === null) return all;
  const near = readings.flatMap(({ found: { vector } }, index) => {
    const alike = vector === null ? null : similarity(meant.vector, vector);
    return alike === null ? [] : [{ index, alike }];
  });
  const sorted = near.toSorted((one, other) => other.alike - one.alike);
  for (const [place, { index, alike }] of sorted.entries()) {
    const above = (alike - meant.usual) / Math.max(0.1, 1 - meant.usual);
    const share = above < HALF_ALIKE ? 0 : Math.min(1, above / (2 * HALF_ALIKE));
    all[index] = { part: HALF_PLACES / (HALF_PLACES + place), share };
  }
  return all;
}
