import { BUILT_IN_AGENTS } from "../../src/core/agent/definitions.ts";
import type { QueryConfig } from "../../src/core/agent/query-config.ts";

/** The defaults of a query with the agent build. */
export function buildConfig(more: Partial<QueryConfig> & Pick<QueryConfig, "model">): QueryConfig {
  const [agentDefinition] = BUILT_IN_AGENTS;
  if (agentDefinition === undefined) throw new Error("there is no built-in agent");
  return {
    maxTokens: 32_000,
    maxTurns: 50,
    outputStyle: "default",
    workingDirectory: ".",
    toolResultBudget: 50_000,
    agentDefinition,
    mode: "write",
    logContext: {},
    ...more,
  };
}
