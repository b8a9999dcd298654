import { createChangeNotifier, followChanges } from "../../core/change-notices.ts";
import type { Feature, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";

/** How often to check for changes by other processes in case a notice was lost, in milliseconds. */
const LOOK_MS = 10_000;

/**
 * The settings on the page, stored as numbered revisions. routes.ts writes them; config/stored/fit.ts merges them
 * beneath the settings file, and config/stored/live.ts decides what takes effect without a restart.
 */
export const configurationFeature: Feature = {
  name: "configuration",
  settings: {},
  configure: () => ({ problems: [], open: openConfiguration }),
};

async function openConfiguration(host: FeatureHost): Promise<OpenFeature> {
  const [{ settingsRoutes }, { newestSettings }] = await Promise.all([import("./routes.ts"), import("./newest.ts")]);
  const newest = newestSettings(host);
  const changes = { cluster: host.cluster, topic: "settings", clock: host.runtime.clock, log: host.log } as const;
  const look = async (): Promise<void> => {
    await newest.read();
  };
  return {
    routes: settingsRoutes({ ...host, newest, changed: createChangeNotifier(changes) }),
    start: async (signal) => followChanges({ ...changes, everyMs: LOOK_MS, signal }, look),
  };
}
