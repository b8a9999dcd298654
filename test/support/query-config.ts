import type { Delegation } from "../../src/core/agents/delegation.ts";
import type { QueryConfig } from "../../src/core/agents/query-config.ts";
import { shippedAgent } from "./shipped-agents.ts";

/** Default query configuration with the agent build. */
export function buildConfig(more: Partial<QueryConfig> & Pick<QueryConfig, "model">): QueryConfig {
  return {
    maxTokens: 32_000,
    maxTurns: 50,
    outputStyle: "default",
    workingDirectory: ".",
    toolResultBudget: 50_000,
    agentDefinition: shippedAgent("build"),
    mode: "write",
    logContext: {},
    ...more,
  };
}

/** Default delegation of a run. */
export const DELEGATION: Delegation = {
  access: "full",
  model: "demo/demo",
  maxTurns: 10,
  concurrencyLimit: 4,
  isolated: false,
  descriptions: { state: "", tools: "" },
};
