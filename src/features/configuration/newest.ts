import { SETTINGS_REVISION } from "../../config/stored/in-force.ts";
import type { FeatureHost } from "../../feature-host.ts";

type Stored = Awaited<ReturnType<FeatureHost["store"]["revisions"]["newest"]>>;

/** The newest settings, which hold from then on, whoever has set them. */
export interface NewestSettings {
  readonly read: () => Promise<Stored>;
  /** The newest by now. */
  readonly take: (revision: NonNullable<Stored>) => void;
}

export function newestSettings({ store, settings }: Pick<FeatureHost, "store" | "settings">): NewestSettings {
  /** What holds; the program may have begun with an older one than is stored by now. */
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
