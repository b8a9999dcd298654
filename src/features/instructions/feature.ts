import type { Feature } from "../../feature.ts";

/**
 * A repository's instructions for agents are shown once per version (card.ts, at the start of a run by hook.ts) and
 * followed once a person has allowed them (tools/instructions/instruction-gate.ts).
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
