import path from "node:path";
import { readAgentFiles } from "../../src/agents.ts";
import { layerAgents } from "../../src/core/agents/definitions.ts";
import type { AgentDefinition } from "../../src/core/agents/query-config.ts";

const files = readAgentFiles(path.resolve(import.meta.dirname, "../../extensions/agents"));
if (files.problems.length > 0) throw new Error(files.problems.join("\n"));

/** The agents of extensions/agents, without any configuration. */
export const shippedAgents: ReadonlyMap<string, AgentDefinition> = layerAgents([files.layer]);

export function shippedAgent(name: string): AgentDefinition {
  const agent = shippedAgents.get(name);
  if (agent === undefined) throw new Error(`no agent ${name} is shipped`);
  return agent;
}
