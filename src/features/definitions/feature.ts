import type { Feature, FeatureHost, OpenFeature } from "../../feature.ts";
import { createKept } from "./kept.ts";

/** How long nothing has been heard of runs before the database is asked whether another process has set something. Milliseconds. */
const QUIET_MS = 10_000;

/** Agents, skills and the operator's own instructions on the page: what is set there holds from the next run on. */
export const definitionsFeature: Feature = {
  name: "definitions",
  settings: {},
  // Without what the page has set, agents would have the rights that are shipped.
  configure: () => ({ problems: [], isEssential: true, open: openDefinitions }),
};

async function openDefinitions(host: FeatureHost): Promise<OpenFeature> {
  const { clock } = host.runtime;
  const kept = createKept(host);
  await kept.refresh();
  let heardAt = clock.now();
  const watch = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(QUIET_MS, signal).catch(() => {});
      if (signal.aborted || clock.now() - heardAt < QUIET_MS) continue;
      await kept.refresh().catch((error: unknown) => host.log.warn({ err: error }, "definitions_not_read"));
    }
  };
  const { definitionRoutes } = await import("./routes.ts");
  return {
    routes: definitionRoutes(host, kept),
    watchRun: () => {
      heardAt = clock.now();
    },
    start: async (signal) => {
      watch(signal).catch((error: unknown) => host.log.error({ err: error }, "definitions_not_watched"));
    },
  };
}
