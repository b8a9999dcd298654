import { existsSync } from "node:fs";
import path from "node:path";
import { bad } from "../../cli/doctor/finding.ts";
import type { Feature, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";

/** Third-party tools as WebAssembly components. */
export const extensionsFeature: Feature = {
  name: "extensions",
  settings: {},
  configure: () => ({
    problems: [],
    check: async ({ home }) => {
      const directory = path.join(home, HOME_TOOLS);
      if (!existsSync(directory)) return [];
      const { extensionProblems } = await import("./load-extensions.ts");
      return (await extensionProblems(directory)).map(bad);
    },
    open,
  }),
};

/** Directory of the operator's extensions within the home. */
const HOME_TOOLS = "extensions/tools";

async function open({ application, home, sandbox, taken, log }: FeatureHost): Promise<OpenFeature> {
  const { createExtensions } = await import("./extensions.ts");
  const making = Promise.withResolvers<void>();
  const sources = {
    directories: [
      path.join(application, "build/tools"),
      path.join(application, "extensions/tools"),
      path.join(home, HOME_TOOLS),
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
    // People need not know where the home is.
    problems: () => extensions.problems().map((line) => line.replaceAll(`${home}${path.sep}`, "")),
    whyMissing: (tool) => extensions.missing(tool),
    // Resolves when all components are loaded, or as soon as one needs new bindings, which take seconds.
    start: () => Promise.race([extensions.load(), making.promise]),
  };
}
