import { createChangeNotifier, followChanges, refreshFirst } from "../../core/change-notices.ts";
import type { Feature, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { createIdlePoller } from "./idle-poller.ts";
import { createStoredDefinitions } from "./stored-definitions.ts";

/** How often to check for changes by other processes in case a notice was lost, in milliseconds. */
const LOOK_MS = 10_000;

/**
 * Agents, skills and the operator's own instructions on the page; changes there apply from the next run on.
 * stored-definitions.ts holds the newest versions in memory, ranked between the shipped ones and the operator's files.
 * They are read by agents.ts of src, tools/skills/page-skills.ts and tools/instructions/page-instructions.ts.
 */
export const definitionsFeature: Feature = {
  name: "definitions",
  settings: {},
  // Essential, because without the page's definitions agents would have the shipped rights.
  configure: () => ({ problems: [], isEssential: true, open: openDefinitions }),
};

async function openDefinitions(host: FeatureHost): Promise<OpenFeature> {
  const { cluster, log } = host;
  const { clock } = host.runtime;
  const changes = { cluster, topic: "definitions", clock, log } as const;
  const kept = createStoredDefinitions({ ...host, changed: createChangeNotifier(changes) });
  await kept.refresh();
  const poller = createIdlePoller(kept.refresh, { clock, log });
  const { definitionRoutes } = await import("./routes.ts");
  return {
    routes: definitionRoutes(host, kept).map((route) => ({
      ...route,
      handle: refreshFirst(cluster, kept.refresh, (request) => route.handle(request)),
    })),
    watchRun: poller.noteActivity,
    start: async (signal) => {
      if (cluster.isShared) return followChanges({ ...changes, everyMs: LOOK_MS, signal }, kept.refresh);
      poller.run(signal).catch((error: unknown) => log.error({ err: error }, "definitions_not_watched"));
    },
  };
}
