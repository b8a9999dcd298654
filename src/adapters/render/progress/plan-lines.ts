import { PLAN_SIGNS, type PlanStep } from "../../../core/protocol/plan.ts";
import type { ShownLine } from "../../../core/protocol/shown.ts";
import { plainLine } from "../../../core/text/plain-text.ts";
import { count } from "./figures.ts";

/** Maximum number of steps shown one by one. */
const SHOWN_STEPS = 10;
const STEP_CHARS = 80;

/** The plan as pinned in the live message. A long plan shows only the steps around the first that is not done. */
export function planLines(plan: readonly PlanStep[] | null): ShownLine[] {
  if (plan === null || plan.length === 0) return [];
  const lines = plan.map(stepLine);
  if (lines.length <= SHOWN_STEPS) return lines;
  const next = plan.findIndex(({ mark }) => mark !== "done");
  const from = Math.min(Math.max(0, (next === -1 ? plan.length : next) - 1), lines.length - SHOWN_STEPS);
  const shown = lines.slice(from, from + SHOWN_STEPS);
  const later = lines.length - from - SHOWN_STEPS;
  return [
    ...(from === 0 ? [] : [{ sign: "✓", text: `${count(from, "earlier step")} of the plan`, isOver: true }]),
    ...shown,
    ...(later === 0 ? [] : [{ sign: "☐", text: `${count(later, "later step")} of the plan`, isOver: false }]),
  ];
}

function stepLine({ text, mark }: PlanStep, index: number): ShownLine {
  return { sign: PLAN_SIGNS[mark], text: `${index + 1}. ${plainLine(text, STEP_CHARS)}`, isOver: mark === "done" };
}
