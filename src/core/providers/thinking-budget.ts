import type { EffortLevel } from "../agents/query-config.ts";
import type { ModelRequest } from "./provider.ts";

type AskedThinking = Pick<ModelRequest, "effortLevel" | "thinkingBudget">;

/** Maximum tokens for thinking at each level. */
const BUDGETS: Readonly<Record<EffortLevel, number>> = { low: 0, medium: 5_000, high: 10_000, max: 20_000 };

/** Maximum tokens for thinking, from the given budget or else the level; undefined for the provider's default. */
export function thinkingBudgetOf({ thinkingBudget, effortLevel }: AskedThinking): number | undefined {
  return thinkingBudget ?? (effortLevel === undefined ? undefined : BUDGETS[effortLevel]);
}

/** The level for models without a budget in tokens: the one whose budget is closest to a given one. */
export function effortOf({ thinkingBudget, effortLevel }: AskedThinking): EffortLevel | undefined {
  if (thinkingBudget === undefined) return effortLevel;
  if (thinkingBudget < BUDGETS.medium / 2) return "low";
  if (thinkingBudget < (BUDGETS.medium + BUDGETS.high) / 2) return "medium";
  return thinkingBudget < (BUDGETS.high + BUDGETS.max) / 2 ? "high" : "max";
}
