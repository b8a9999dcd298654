import type { Plan } from "../protocol/plan.ts";
import type { Tool } from "../tool.ts";

type ToolFacts = Pick<Tool, "name" | "permission">;

/**
 * Why a call is refused while plan mode is on, in words for the model; null when it is not. The list of tools stays as it is,
 * so that the prefix of requests holds. `turn`: the names of the turn's calls in order, up to this one: plan mode holds from
 * the call that begins it.
 */
export function planRefusal(plan: Plan | null, tool: ToolFacts, turn: readonly string[] = []): string | null {
  const isPlanning = plan?.phase === "planning" || turn.includes("enter_plan_mode");
  if (!isPlanning || tool.permission === "none" || tool.permission === "read") return null;
  return `Not run: plan mode is on, and ${tool.name} may change something. Propose your plan with exit_plan_mode; once a person has accepted it, you may go on.`;
}
