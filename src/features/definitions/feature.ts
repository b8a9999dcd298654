import type { Feature, FeatureHost, OpenFeature } from "../../feature.ts";
import { createKept } from "./kept.ts";
import { createLookout } from "./lookout.ts";

/** Agents, skills and the operator's own instructions on the page: what is set there holds from the next run on. */
export const definitionsFeature: Feature = {
  name: "definitions",
  settings: {},
  // Without what the page has set, agents would have the rights that are shipped.
  configure: () => ({ problems: [], isEssential: true, open: openDefinitions }),
};

async function openDefinitions(host: FeatureHost): Promise<OpenFeature> {
  const kept = createKept(host);
  await kept.refresh();
  const lookout = createLookout(kept.refresh, { clock: host.runtime.clock, log: host.log });
  const { definitionRoutes } = await import("./routes.ts");
  return {
    routes: definitionRoutes(host, kept),
    watchRun: lookout.heard,
    start: async (signal) => {
      lookout.run(signal).catch((error: unknown) => host.log.error({ err: error }, "definitions_not_watched"));
    },
  };
}
