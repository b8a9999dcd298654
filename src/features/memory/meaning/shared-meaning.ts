import type { FeatureHost } from "../../../feature-host.ts";
import type { MeaningWork } from "./meaning.ts";

/** A memory that says something else, as processes tell each other: its number. */
const CHANGED = /^changed (\d+)$/u;

/** The same, and what changes at one process is made anew by whichever makes vectors. */
export function sharedMeaning(
  meaning: MeaningWork,
  { cluster, log }: Pick<FeatureHost, "cluster" | "log">,
): MeaningWork {
  if (!cluster.isShared) return meaning;
  cluster.hear("memories", (about) => {
    const seq = CHANGED.exec(about)?.[1];
    if (seq !== undefined) meaning.changed(Number(seq));
  });
  return {
    ...meaning,
    changed(seq) {
      meaning.changed(seq);
      cluster.tell("memories", `changed ${seq}`).catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
    },
  };
}
