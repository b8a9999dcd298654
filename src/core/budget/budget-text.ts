import type { BudgetExceeded, BudgetScope } from "../protocol/events.ts";
import { dollars, figure } from "../text/dollars.ts";
import type { BudgetState } from "./affordable.ts";
import type { BudgetUnit } from "./limits.ts";

/** `Stopped at $0.47 of $0.50 for this run; the next call could pass the limit.` */
export function stoppedAtLimit({ scope, ...figures }: BudgetExceeded): string {
  const [used, most] =
    "limitUsd" in figures
      ? [dollars(figures.costUsd), dollars(figures.limitUsd)]
      : [figure(figures.tokens), `${figure(figures.limitTokens)} tokens`];
  return `Stopped at ${used} of ${most} ${WHOSE[scope]}; the next call could pass the limit.`;
}

/** `An operator can raise `maxBudgetUsd`.` */
export function raiseLimitHint(exceeded: BudgetExceeded): string {
  return `An operator can raise \`${settingOf(exceeded.scope, "limitUsd" in exceeded ? "usd" : "tokens")}\`.`;
}

/** `⚠ $0.41 of $0.50 for this run is spent.` */
export function nearLimit({ limit, spent }: BudgetState, unit: BudgetUnit): string {
  if (unit === "usd")
    return `⚠ ${dollars(spent.costUsd)} of ${dollars(limit.usd ?? 0)} ${WHOSE[limit.scope]} is spent.`;
  const [used, most] = [spent.tokens, limit.tokens ?? 0].map(figure);
  return `⚠ ${used} of ${most} tokens ${WHOSE[limit.scope]} are used.`;
}

/** Shown while other runs' calls hold what is left. */
export function waitsForOtherRuns({ limit }: BudgetState): string {
  return `⏳ Other runs have reserved what is left ${WHOSE[limit.scope]}; I'm waiting for them to finish.`;
}

/** Why a model may not be used under a limit in dollars, and what to set. `ref`: `provider/model`. */
export function priceUnknown(ref: string, scope: BudgetScope): string {
  const slash = ref.indexOf("/");
  const price = `\`providers.${ref.slice(0, slash)}.models\`: { "${ref.slice(slash + 1)}": { "price": { "input": …, "output": … } } }`;
  return `The price of \`${ref}\` is unknown, so the dollar limit ${WHOSE[scope]} can't be enforced. An operator can set it in ${price}, or limit tokens with \`${settingOf(scope, "tokens")}\`.`;
}

const WHOSE: Readonly<Record<BudgetScope, string>> = {
  run: "for this run",
  managed: "for this managed task",
  job: "for this run of the job",
  session: "for this session",
  user: "for this person today (UTC)",
  channel: "for this channel today (UTC)",
  day: "for everything today (UTC)",
};

function settingOf(scope: BudgetScope, unit: BudgetUnit): string {
  if (scope === "run" && unit === "usd") return "maxBudgetUsd";
  if (scope === "managed") return "managedAgents.totalBudgetUsd";
  return `budgets.${scope}${unit === "usd" ? "Usd" : "Tokens"}`;
}
