import { createTeller, followOthers, lookingFirst } from "../../core/follow-others.ts";
import type { Feature, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { createKept } from "./kept.ts";
import { createLookout } from "./lookout.ts";

/** How often is read what other processes have set, where there are any and no word of it has come. Milliseconds. */
const LOOK_MS = 10_000;

/**
 * Agents, skills and the operator's own instructions on the page: what is set there holds from the next run on. kept.ts
 * has the newest in memory, between what is shipped and the operator's files; the readers are agents.ts of src,
 * tools/skills/page-skills.ts and tools/instructions/page-instructions.ts.
 */
export const definitionsFeature: Feature = {
  name: "definitions",
  settings: {},
  // Without what the page has set, agents would have the rights that are shipped.
  configure: () => ({ problems: [], isEssential: true, open: openDefinitions }),
};

async function openDefinitions(host: FeatureHost): Promise<OpenFeature> {
  const { cluster, log } = host;
  const { clock } = host.runtime;
  const changes = { cluster, topic: "definitions", clock, log } as const;
  const kept = createKept({ ...host, changed: createTeller(changes) });
  await kept.refresh();
  const lookout = createLookout(kept.refresh, { clock, log });
  const { definitionRoutes } = await import("./routes.ts");
  return {
    routes: definitionRoutes(host, kept).map((route) => ({
      ...route,
      handle: lookingFirst(cluster, kept.refresh, (request) => route.handle(request)),
    })),
    watchRun: lookout.heard,
    start: async (signal) => {
      if (cluster.isShared) return followOthers({ ...changes, everyMs: LOOK_MS, signal }, kept.refresh);
      lookout.run(signal).catch((error: unknown) => log.error({ err: error }, "definitions_not_watched"));
    },
  };
}
