import { assertNever } from "../protocol/assert-never.ts";
import { activePlanSteps, checklist, type Plan } from "../protocol/plan.ts";

/** The prompt section about the session's plan, below the cache boundary; empty if there is nothing to say. */
export function planSection(plan: Plan | null): string {
  if (plan === null) return "";
  switch (plan.phase) {
    case "planning":
      return 'Plan mode is on: nothing may be changed or run until a person accepts a plan. Look at what you need, then propose one: exit_plan_mode {"intro": "…", "steps": ["…"]}.';
    case "accepted": {
      const steps = activePlanSteps(plan);
      if (steps === null) return "";
      return [
        `The current plan, accepted by ${plan.acceptedBy} (☐ open, ⏳ doing, ✓ done). Mark them as you go: update_plan {"steps": [{"step": 1, "mark": "doing"}]}; its newer results override the marks here.`,
        checklist(steps),
      ].join("\n");
    }
    default:
      return assertNever(plan);
  }
}
