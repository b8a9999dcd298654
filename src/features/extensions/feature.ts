import path from "node:path";
import type { Feature, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";

/** Third-party tools as WebAssembly components. */
export const extensionsFeature: Feature = {
  name: "extensions",
  settings: {},
  configure: () => ({ problems: [], open }),
};

async function open({ application, home, sandbox, taken, log }: FeatureHost): Promise<OpenFeature> {
  const { createExtensions } = await import("./extensions.ts");
  const making = Promise.withResolvers<void>();
  const sources = {
    directories: [
      path.join(application, "build/tools"),
      path.join(application, "extensions/tools"),
      path.join(home, "extensions/tools"),
    ],
    bindings: {
      cacheDir: path.join(home, "bindings"),
      shippedDir: path.join(application, "build/tool-bindings"),
      making: making.resolve,
    },
  };
  const extensions = createExtensions({ ...sources, sandbox, reserved: taken() }, log);
  return {
    tools: () => extensions.tools(),
    sourceOf: () => "extension",
    whyMissing: (tool) => extensions.missing(tool),
    // Resolves when all components are loaded, or as soon as one needs new bindings, which take seconds.
    start: () => Promise.race([extensions.load(), making.promise]),
  };
}
