import { similarity } from "../meaning/vectors.ts";
import type { Found } from "./full-text.ts";

export interface QueryMeaning {
  readonly vector: Float32Array;
  /** Average similarity between the question and any memory. */
  readonly usual: number;
}

/** How close a memory's meaning is to the question. */
export interface SimilarityScore {
  /** Score by rank among the most similar memories: 1 for the first, 0 if not compared. */
  readonly part: number;
  /** How much of the question it may cover; 0 if it is hardly more similar than the average. */
  readonly share: number;
}

/** Ranks after which a score is half of the first one's. */
const HALF_PLACES = 10;
/** Position between average (0) and identity (1) that counts as half of the question. Tuned like ranking.ts. */
const HALF_ALIKE = 0.4;

export function similarityScores(
  meant: QueryMeaning | null,
  readings: readonly { readonly found: Pick<Found, "vector"> }[],
): readonly SimilarityScore[] {
  const all: SimilarityScore[] = readings.map(() => ({ part: 0, share: 0 }));
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
