import { z } from "zod";
import { errorResult, type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import type { QuestionRow } from "../../core/store/run/questions.ts";
import type { Store } from "../../core/store/store.ts";
import { counted } from "../../core/text/counted.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";
import { type AskDeps, ask, labelOfAnswer } from "./ask.ts";
import { waitingMethods } from "./waiting.ts";

const NOBODY =
  "Nobody can accept a plan: this run is not part of a conversation. Do what you may do without one, and say what is left.";

/** From this tool's result on, policy refuses whatever changes or runs something (`planRefusal`). */
export function createEnterPlanMode({ store }: { readonly store: Store }): Tool {
  return defineTool({
    name: "enter_plan_mode",
    description:
      "Starts plan mode: until a person accepts your plan, you can only look; nothing can be changed or run. For work that touches " +
      "several places or has more than one sensible approach. Look around, then propose the plan with exit_plan_mode.",
    deferred: { about: "nothing changes until a person accepts your plan" },
    input: z.object({}),
    permission: "none",
    parallel: false,
    afterCrash: "replay",
    grant: () => ({ key: "enter_plan_mode", label: "planning" }),
    title: () => "",
    async execute(_input, ctx) {
      if (ctx.nonInteractive) return errorResult(NOBODY, "nobody there");
      await store.transaction((tx) => tx.plans.begin(ctx.sessionId));
      return textResult(
        'Plan mode is on: calls that change or run something are refused. Look at what you need to, then propose a plan: exit_plan_mode {"intro": "…", "steps": ["…"]}.',
        { summary: "nothing is changed until a plan is accepted" },
      );
    },
  });
}

const proposal = z.object({
  intro: z
    .string()
    .trim()
    .max(800)
    .default("")
    .describe("One or two sentences: what the plan achieves and what it leaves alone."),
  steps: z
    .array(z.string().trim().min(1).max(200))
    .min(1)
    .max(20)
    .describe("What you will do, in order; each step must be checkable."),
});

/** Proposes a plan and waits until a person accepts it, drops it or asks for changes. */
export function createExitPlanMode(deps: AskDeps): Tool {
  return defineTool({
    name: "exit_plan_mode",
    description:
      "Shows your plan to the person as a checklist and waits until they accept it, ask for changes, or drop it. Plan mode ends " +
      "when they accept or drop it. While you carry it out, mark its steps with update_plan.",
    deferred: { about: "proposes a plan to the person" },
    input: proposal,
    permission: "none",
    parallel: false,
    afterCrash: "replay",
    grant: () => ({ key: "exit_plan_mode", label: "proposing plans" }),
    title: ({ steps }) => counted(steps.length, "step"),
    ...waitingMethods<z.infer<typeof proposal>>(async ({ intro, steps }, ctx, signal) => {
      if (ctx.nonInteractive) return errorResult(NOBODY, "nobody there");
      const marked = steps.map((text) => ({ text, mark: "open" as const }));
      const row = await ask({ kind: "plan", intro, steps: marked }, { ctx, signal }, deps);
      if (row === null) return null;
      if (row.answer?.choice === "go") ctx.showPlan(marked);
      return verdict(row, ctx);
    }),
  });
}

function verdict({ answer, answeredBy }: QuestionRow, { readOnly }: ToolContext): ToolResult {
  const name = answeredBy?.name ?? "Someone";
  if (answer === null)
    return errorResult(
      "Nobody decided on the plan: it could not be posted, or was withdrawn. Say so, and end your turn.",
      "withdrawn",
    );
  const label = labelOfAnswer(answeredBy);
  switch (answer.choice) {
    case "go": {
      const next = readOnly
        ? "Your access does not let you change anything: end your turn here. The plan stays for an agent that may carry it out."
        : 'Carry it out now, and mark each step as you begin and finish it: update_plan {"steps": [{"step": 1, "mark": "doing"}]}.';
      return textResult(`${name} accepted the plan. ${next}`, { summary: `accepted by ${name}`, label });
    }
    case "drop":
      return textResult(
        `${name} dropped the plan. Plan mode is off. Do not carry out any of it; end your turn with one line, and wait for the next message.`,
        {
          summary: `dropped by ${name}`,
          label,
        },
      );
    default:
      return textResult(
        `${name} wants the plan changed: ${answer.text}\nPlan mode stays on. Revise the plan accordingly and call exit_plan_mode again.`,
        { summary: `${name} wants changes`, label },
      );
  }
}
