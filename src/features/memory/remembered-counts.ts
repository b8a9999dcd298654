import { BoundedMap } from "../../core/bounded-map.ts";

/** Maximum number of running runs that are tracked. */
const MAX_RUNS = 1_000;

/** Counts what each running run has stored. */
export type RememberedCounts = ReturnType<typeof createRememberedCounts>;

export function createRememberedCounts() {
  const counts = new BoundedMap<string, number>(MAX_RUNS);
  return {
    add: (runId: string) => counts.set(runId, (counts.get(runId) ?? 0) + 1),
    /** `2 remembered`; null if nothing was. */
    noteOf(runId: string): string | null {
      const count = counts.get(runId);
      return count === undefined ? null : `${count} remembered`;
    },
    /** Called when the run has ended. */
    forget: (runId: string) => counts.delete(runId),
  };
}
