import type { Feature } from "../../feature.ts";

/** What a repository tells agents is shown once for each version, and followed when somebody has allowed it. */
export const instructionsFeature: Feature = {
  name: "instructions",
  settings: {},
  configure: () => ({
    problems: [],
    open: async (host) => {
      const { instructionsHook } = await import("./hook.ts");
      return { hook: instructionsHook(host) };
    },
  }),
};
