import type { FeatureHost } from "../../../feature-host.ts";
import type { MeaningWork } from "./meaning.ts";

/** A notice between processes that a memory's text has changed, with its number. */
const CHANGED = /^changed (\d+)$/u;

/** Shares changes between processes, so that whichever makes vectors makes the changed ones again. */
export function sharedMeaning(
  meaning: MeaningWork,
  { cluster, log }: Pick<FeatureHost, "cluster" | "log">,
): MeaningWork {
  if (!cluster.isShared) return meaning;
  cluster.subscribe("memories", (about) => {
    const seq = CHANGED.exec(about)?.[1];
    if (seq !== undefined) meaning.changed(Number(seq));
  });
  return {
    ...meaning,
    changed(seq) {
      meaning.changed(seq);
      cluster
        .publish("memories", `changed ${seq}`)
        .catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
    },
  };
}
