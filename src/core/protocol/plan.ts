import { z } from "zod";

/** How far a step of a plan is. */
export const planMarkSchema = z.enum(["open", "doing", "done"]);
export type PlanMark = z.infer<typeof planMarkSchema>;

export const planStepSchema = z.object({ text: z.string(), mark: planMarkSchema });
export type PlanStep = z.infer<typeof planStepSchema>;

/**
 * What a session's plan column holds. `planning`: nothing may be changed until a person accepts a plan.
 * `accepted`: the plan is being carried out.
 */
export const planSchema = z.discriminatedUnion("phase", [
  z.object({ phase: z.literal("planning") }),
  z.object({ phase: z.literal("accepted"), steps: z.array(planStepSchema), acceptedBy: z.string() }),
]);
export type Plan = z.infer<typeof planSchema>;

/** The steps of a plan that is carried out and not done yet; null when there is none. */
export function stepsInHand(plan: Plan | null): readonly PlanStep[] | null {
  if (plan?.phase !== "accepted") return null;
  return plan.steps.some(({ mark }) => mark !== "done") ? plan.steps : null;
}

/** What stands before a step. */
export const PLAN_SIGNS: Readonly<Record<PlanMark, string>> = { open: "☐", doing: "⏳", done: "✓" };

/** One line per step: `☐ 2. Change the port`. */
export function checklist(steps: readonly PlanStep[]): string {
  return steps.map(({ text, mark }, index) => `${PLAN_SIGNS[mark]} ${index + 1}. ${text}`).join("\n");
}
