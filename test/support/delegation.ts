import type { Delegation } from "../../src/core/agents/delegation.ts";

/** How a run hands its work on that is set no further. */
export const DELEGATION: Delegation = {
  access: "full",
  model: "demo/demo",
  maxTurns: 10,
  concurrencyLimit: 4,
  isolated: false,
  told: { state: "", tools: "" },
};
