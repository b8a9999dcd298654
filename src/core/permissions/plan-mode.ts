import type { Plan } from "../protocol/plan.ts";
import type { Tool } from "../tool.ts";

type ToolFacts = Pick<Tool, "name" | "permission">;

/**
 * Why plan mode refuses a call, in words for the model; null if it does not. The list of tools stays unchanged, to keep
 * the prefix of requests in the prompt cache. `turn`: names of the turn's calls up to this one, because plan mode
 * begins with the call that enters it.
 */
export function planRefusal(plan: Plan | null, tool: ToolFacts, turn: readonly string[] = []): string | null {
  const isPlanning = plan?.phase === "planning" || turn.includes("enter_plan_mode");
  if (!isPlanning || tool.permission === "none" || tool.permission === "read") return null;
  return `Not run: plan mode is on, and ${tool.name} may change something. Propose your plan with exit_plan_mode; once a person has accepted it, you may continue.`;
}
