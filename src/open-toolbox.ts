import type { Config } from "./config.ts";
import type { PlatformRights } from "./core/permissions/platform-rights.ts";
import type { Log } from "./core/protocol/log.ts";
import type { Runtime } from "./core/protocol/runtime.ts";
import type { FeatureHost } from "./feature.ts";
import { snapshotsOf } from "./home.ts";
import type { FeatureList } from "./open-features.ts";
import { describePlatform } from "./platforms.ts";
import { createSystemResolve } from "./tools/network/resolve.ts";
import { keepWithinLimits } from "./tools/snapshots.ts";
import { createToolbox, type Toolbox, type ToolboxOptions } from "./tools/toolbox.ts";
import { createSandbox } from "./tools/wasm/sandbox.ts";
import { APPLICATION, VERSION } from "./version.ts";

interface ToolboxWorld {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly parts: AsyncDisposableStack;
  readonly features: FeatureList;
  /** A line for the operator's terminal. */
  readonly say: (line: string) => void;
}

type ToolboxParts = Pick<
  ToolboxOptions,
  "store" | "engine" | "approvals" | "skills" | "jobs" | "agents" | "models" | "copies"
> &
  Pick<PlatformRights, "membershipOf"> &
  Pick<FeatureHost, "configOf" | "callModel">;

function databaseOf(url: string): FeatureHost["database"] {
  return url.startsWith("file:") ? "sqlite" : "postgresql";
}

/** The tools; servers connect in the background, and none holds up the start. */
export async function openToolbox(
  { config, runtime, log, signal, parts, features, say }: ToolboxWorld,
  given: ToolboxParts,
): Promise<Toolbox> {
  const snapshots = snapshotsOf(config);
  const resolve = createSystemResolve();
  const sandbox = createSandbox({ log, snapshots, network: { resolve } });
  const stopKeeping = keepWithinLimits({ directory: snapshots, clock: runtime.clock, log });
  parts.defer(async () => stopKeeping());
  parts.defer(() => sandbox.close());
  const toolbox = await createToolbox({
    ...given,
    sandbox,
    snapshots,
    resolve,
    runtime,
    log,
    features: (taken) => {
      const host = {
        ...given,
        sandbox,
        resolve,
        runtime,
        log,
        application: APPLICATION,
        home: config.home,
        version: VERSION,
        database: databaseOf(config.database.url),
        describe: describePlatform,
        admins: config.access.admins,
      };
      return features.open({ ...host, configured: config.features, say, taken: () => taken });
    },
  });
  parts.defer(() => toolbox.stop());
  await toolbox.start(signal);
  return toolbox;
}
