import type { Config } from "../config.ts";
import { EmbeddedEngine, type EmbeddedEngineOptions } from "../core/embedded-engine/embedded-engine.ts";
import type { SessionEngine } from "../core/engine/engine.ts";
import type { OpenCluster } from "../core/store/cluster/cluster.ts";
import type { Reachability } from "./reachability.ts";

/** The session engine, and its load in this process. */
export interface ProgramEngine extends SessionEngine {
  load(): { running: number; waiting: number };
}

interface EngineOpening extends Omit<EmbeddedEngineOptions, "maxConcurrentRuns" | "placeLimits" | "placement"> {
  readonly config: Pick<Config, "database" | "maxConcurrentRuns" | "quotas">;
  /** Null if this process runs all sessions. */
  readonly shared: OpenCluster | null;
  readonly reach: Pick<Reachability, "mayTake"> | null;
}

/** The configured engine. The package of the one for several processes is loaded only if that one is chosen. */
export async function openEngine({ config, shared, reach, ...parts }: EngineOpening): Promise<ProgramEngine> {
  const given = { ...parts, maxConcurrentRuns: config.maxConcurrentRuns, placeLimits: config.quotas };
  if (shared === null) return new EmbeddedEngine(given);
  const { DbosEngine } = await import("../core/dbos-engine/dbos-engine.ts");
  const mayHold = () => reach?.mayTake() ?? Promise.resolve(true);
  return new DbosEngine({ ...given, url: config.database.directUrl, cluster: shared, mayHold });
}
