import { BoundedMap } from "../../core/bounded-map.ts";

/** Runs that are kept in mind until they end. */
const MOST_RUNS = 1_000;

/** How much runs that go on have told to remember. */
export interface ToldCounts {
  add(runId: string): void;
  /** `2 remembered`; null for nothing. */
  noteOf(runId: string): string | null;
  /** It has ended. */
  forget(runId: string): void;
}

export function createTold(): ToldCounts {
  const counts = new BoundedMap<string, number>(MOST_RUNS);
  return {
    add: (runId) => counts.set(runId, (counts.get(runId) ?? 0) + 1),
    noteOf(runId) {
      const count = counts.get(runId);
      return count === undefined ? null : `${count} remembered`;
    },
    forget: (runId) => {
      counts.delete(runId);
    },
  };
}
