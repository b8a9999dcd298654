import { z } from "zod";
import { checklist, type PlanStep, planMarkSchema } from "../../core/protocol/plan.ts";
import { errorResult, textResult } from "../../core/protocol/tool-result.ts";
import type { Store } from "../../core/store/store.ts";
import { defineTool, type Tool } from "../../core/tool.ts";

const change = z.object({
  step: z.int().min(1).describe("The step's number, from 1."),
  mark: planMarkSchema.describe("Its state: open, doing or done."),
});
const input = z.object({ steps: z.array(change).min(1).max(40) });
type Change = z.infer<typeof change>;

/** Creates the tool that marks steps of the accepted plan; the checklist of the live message follows. */
export function createUpdatePlan({ store }: { readonly store: Store }): Tool {
  return defineTool({
    name: "update_plan",
    description:
      "Marks steps of the accepted plan: `doing` when you start one, `done` when it is finished and checked. People watch the checklist.",
    deferred: { about: "marks steps of the accepted plan" },
    input,
    permission: "none",
    parallel: false,
    afterCrash: "replay",
    grant: () => ({ key: "update_plan", label: "marking steps of the plan" }),
    title: ({ steps }) => steps.map(({ step, mark }) => `${step} ${mark}`).join(", "),
    async execute({ steps: changes }, ctx) {
      const marked = await store.transaction(async (tx) => {
        const plan = await tx.plans.of(ctx.sessionId);
        if (plan?.phase !== "accepted") return "There is no accepted plan to mark.";
        const unknown = changes.find(({ step }) => step > plan.steps.length);
        if (unknown !== undefined) return `The plan has ${plan.steps.length} steps; there is no step ${unknown.step}.`;
        const steps = withMarks(plan.steps, changes);
        await tx.plans.set(ctx.sessionId, { ...plan, steps });
        return steps;
      });
      if (typeof marked === "string") return errorResult(marked);
      ctx.showPlan(marked);
      const done = marked.filter(({ mark }) => mark === "done").length;
      return textResult(checklist(marked), { summary: `${done} of ${marked.length} done` });
    },
  });
}

function withMarks(steps: readonly PlanStep[], changes: readonly Change[]): PlanStep[] {
  const marks = new Map(changes.map(({ step, mark }) => [step - 1, mark]));
  return steps.map((step, index) => ({ ...step, mark: marks.get(index) ?? step.mark }));
}
