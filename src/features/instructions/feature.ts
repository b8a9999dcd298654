import type { Feature } from "../../feature.ts";

/**
 * What a repository tells agents is shown once for each version (card.ts, at the run's begin by hook.ts), and followed when
 * somebody has allowed it (tools/instructions/instruction-gate.ts).
 */
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
