import { expect, test } from "vitest";
import { raiseLimitHint, stoppedAtLimit } from "../../../src/core/budget/budget-text.ts";
import type { BudgetExceeded } from "../../../src/core/protocol/events.ts";

const type = "budget_exceeded" as const;

test.each<{ exceeded: BudgetExceeded; said: string }>([
  {
    exceeded: { type, scope: "run", costUsd: 0.468, limitUsd: 0.5 },
    said: "Stopped at $0.47 of $0.50 for this run; the next call could pass the limit. An operator can raise `maxBudgetUsd`.",
  },
  {
    exceeded: { type, scope: "run", costUsd: 0.0093, limitUsd: 0.01 },
    said: "Stopped at $0.0093 of $0.01 for this run; the next call could pass the limit. An operator can raise `maxBudgetUsd`.",
  },
  {
    exceeded: { type, scope: "user", costUsd: 0, limitUsd: 10 },
    said: "Stopped at $0.00 of $10.00 for this person today (UTC); the next call could pass the limit. An operator can raise `budgets.userUsd`.",
  },
  {
    exceeded: { type, scope: "session", tokens: 1_990_000, limitTokens: 2_000_000 },
    said: "Stopped at 1,990,000 of 2,000,000 tokens for this session; the next call could pass the limit. An operator can raise `budgets.sessionTokens`.",
  },
])("$said", ({ exceeded, said }) => {
  expect(`${stoppedAtLimit(exceeded)} ${raiseLimitHint(exceeded)}`).toBe(said);
});
