import { SETTINGS_REVISION } from "../../config/stored/effective-settings.ts";
import type { FeatureHost } from "../../feature-host.ts";

type Stored = Awaited<ReturnType<FeatureHost["store"]["revisions"]["newest"]>>;

/** Reads the newest settings and applies them, whoever has stored them. */
export interface NewestSettings {
  readonly read: () => Promise<Stored>;
  /** Applies a revision, unless a newer one is already applied. */
  readonly take: (revision: NonNullable<Stored>) => void;
}

export function newestSettings({ store, settings }: Pick<FeatureHost, "store" | "settings">): NewestSettings {
  /** Number of the applied revision; the program may have started with an older one than the newest stored. */
  let held = 0;
  const take: NewestSettings["take"] = (revision) => {
    if (revision.number <= held) return;
    held = revision.number;
    settings.apply(revision);
  };
  return {
    take,
    async read() {
      const newest = await store.revisions.newest(SETTINGS_REVISION);
      if (newest !== null) take(newest);
      return newest;
    },
  };
}
