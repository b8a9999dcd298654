import path from "node:path";
import { atMost } from "../../core/at-most.ts";
import type { Feature, FeatureHost, OpenFeature } from "../../feature.ts";

/** What a start waits for extensions: loading known ones takes a fraction of it, making bindings takes seconds. Milliseconds. */
const LOAD_WAIT_MS = 200;

/** Tools of third parties, as WebAssembly components. */
export const extensionsFeature: Feature = {
  name: "extensions",
  settings: {},
  configure: () => ({ problems: [], open }),
};

async function open({ application, home, sandbox, taken, log, runtime }: FeatureHost): Promise<OpenFeature> {
  const { createExtensions } = await import("./extensions.ts");
  const sources = {
    directories: [
      path.join(application, "build/tools"),
      path.join(application, "extensions/tools"),
      path.join(home, "extensions/tools"),
    ],
    bindings: { cacheDir: path.join(home, "bindings"), shippedDir: path.join(application, "build/tool-bindings") },
  };
  const extensions = createExtensions({ ...sources, sandbox, reserved: taken() }, log);
  return {
    tools: () => extensions.tools(),
    sourceOf: () => "extension",
    whyMissing: (tool) => extensions.missing(tool),
    // Those whose bindings are made are there when it resolves; a new one follows when its are.
    start: () => atMost(LOAD_WAIT_MS, extensions.load(), runtime.clock),
  };
}
