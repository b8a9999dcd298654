import type { AgentDefinition } from "../agents/query-config.ts";

/**
 * Splits `@plan write x` into the agent plan and the prompt. Null if the text does not begin with the name of a visible
 * agent.
 */
export function agentAddress(
  text: string,
  agents: ReadonlyMap<string, AgentDefinition>,
): { readonly agent: AgentDefinition; readonly prompt: string } | null {
  const [, name = "", prompt = ""] = /^\s*@([a-z0-9][a-z0-9-]*)(?:[\s:,]([\s\S]*))?$/i.exec(text) ?? [];
  const agent = agents.get(name.toLowerCase());
  return agent?.visible === true ? { agent, prompt: prompt.replace(/^[\s:,]+/, "").trim() } : null;
}
