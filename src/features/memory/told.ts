import { BoundedMap } from "../../core/bounded-map.ts";

/** Runs that are kept in mind until they end. */
const MOST_RUNS = 1_000;

/** How much runs that go on have told to remember. */
export type ToldCounts = ReturnType<typeof createTold>;

export function createTold() {
  const counts = new BoundedMap<string, number>(MOST_RUNS);
  return {
    add: (runId: string) => counts.set(runId, (counts.get(runId) ?? 0) + 1),
    /** `2 remembered`; null for nothing. */
    noteOf(runId: string): string | null {
      const count = counts.get(runId);
      return count === undefined ? null : `${count} remembered`;
    },
    /** It has ended. */
    forget: (runId: string) => counts.delete(runId),
  };
}
