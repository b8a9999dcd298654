import { z } from "zod";

/** Progress of a plan's step. */
export const planMarkSchema = z.enum(["open", "doing", "done"]);
export type PlanMark = z.infer<typeof planMarkSchema>;

export const planStepSchema = z.object({ text: z.string(), mark: planMarkSchema });
export type PlanStep = z.infer<typeof planStepSchema>;

/**
 * Content of a session's plan column. `planning`: nothing may be changed until a person accepts a plan. `accepted`: the
 * plan is being carried out.
 */
export const planSchema = z.discriminatedUnion("phase", [
  z.object({ phase: z.literal("planning") }),
  z.object({ phase: z.literal("accepted"), steps: z.array(planStepSchema), acceptedBy: z.string() }),
]);
export type Plan = z.infer<typeof planSchema>;

/** The steps of an accepted plan that is not done yet; null if there is none. */
export function activePlanSteps(plan: Plan | null): readonly PlanStep[] | null {
  if (plan?.phase !== "accepted") return null;
  return plan.steps.some(({ mark }) => mark !== "done") ? plan.steps : null;
}

/** Signs in front of steps. */
export const PLAN_SIGNS: Readonly<Record<PlanMark, string>> = { open: "☐", doing: "⏳", done: "✓" };

/** One line per step: `☐ 2. Change the port`. */
export function checklist(steps: readonly PlanStep[]): string {
  return steps.map(({ text, mark }, index) => `${PLAN_SIGNS[mark]} ${index + 1}. ${text}`).join("\n");
}
