import type { BudgetScope } from "../protocol/events.ts";
import type { SpendFilter } from "../store/ledger/budgets.ts";

export type BudgetUnit = "usd" | "tokens";

/** What may be spent, in US dollars and in tokens; what is absent is not limited. `user`, `channel` and `day` are per UTC day. */
export type BudgetSettings = { readonly [K in `${BudgetScope}${"Usd" | "Tokens"}`]?: number };

/** Whom a run's calls are put down to. */
export interface BudgetAccount {
  readonly runId: string;
  readonly sessionId: string;
  readonly personId: string;
  readonly channelId: string;
  /** The run is an occurrence of a job, or descends from one. */
  readonly isJob: boolean;
  /** The run that a sub-agent descends from, whose limits hold for all of its line together. */
  readonly root?: { readonly sessionId: string; readonly runId: string };
  /** The first run of the task tree that this one belongs to; absent: itself, or its root. */
  readonly taskTree?: string;
}

/** With the runs and sessions whose calls count as those of one run, of one task tree, and of one session. */
interface LimitedAccount extends Pick<BudgetAccount, "personId" | "channelId" | "isJob"> {
  readonly runIds: readonly string[];
  readonly taskTreeIds: readonly string[];
  readonly sessionIds: readonly string[];
}

export interface BudgetLimit {
  readonly scope: BudgetScope;
  readonly usd: number | null;
  readonly tokens: number | null;
  /** Which calls it counts. */
  readonly counts: SpendFilter;
}

const DAY_MS = 86_400_000;

/** When the UTC day of a time began; both in milliseconds since the Unix epoch. */
export function dayBegan(at: number): number {
  return at - (at % DAY_MS);
}

/**
 * The limits that apply to a run's call now, narrowest first. Those of a managed task and of a job hold for all of the
 * task tree: sub-agents in the background would otherwise set each of them off anew with the run that their end begins.
 */
export function limitsOf(
  settings: BudgetSettings,
  { personId, channelId, isJob, runIds, taskTreeIds, sessionIds }: LimitedAccount,
  now: number,
): BudgetLimit[] {
  const since = dayBegan(now);
  const counts: Readonly<Record<BudgetScope, SpendFilter | null>> = {
    run: { runIds },
    managed: { runIds: taskTreeIds },
    job: isJob ? { runIds: taskTreeIds } : null,
    session: { sessionIds },
    user: { personId, since },
    channel: { channelId, since },
    day: { since },
  };
  return SCOPES.flatMap((scope) => {
    const { [`${scope}Usd` as const]: usd = null, [`${scope}Tokens` as const]: tokens = null } = settings;
    const counted = counts[scope];
    return counted === null || (usd === null && tokens === null) ? [] : [{ scope, usd, tokens, counts: counted }];
  });
}

const SCOPES: readonly BudgetScope[] = ["run", "managed", "job", "session", "user", "channel", "day"];

/** The narrowest limit that only dollars keep, for a run of a job or of a chat: under it no call begins whose price is unknown. */
export function dollarLimit(settings: BudgetSettings, { isJob }: Pick<BudgetAccount, "isJob">): BudgetScope | null {
  const kept = SCOPES.filter((scope) => settings[`${scope}Usd`] !== undefined && (scope !== "job" || isJob));
  return kept.find((scope) => settings[`${scope}Tokens`] === undefined) ?? null;
}

export function hasLimits(settings: BudgetSettings): boolean {
  return SCOPES.some((scope) => settings[`${scope}Usd`] !== undefined || settings[`${scope}Tokens`] !== undefined);
}
