import type { BudgetScope } from "../protocol/events.ts";
import type { UsageFilter } from "../store/ledger/usage-report.ts";

export type BudgetUnit = "usd" | "tokens";

/** Limits in US dollars and in tokens; those absent do not apply. `user`, `channel` and `day` are per UTC day. */
export type BudgetSettings = { readonly [K in `${BudgetScope}${"Usd" | "Tokens"}`]?: number };

/** Whom a run's calls are charged to. */
export interface BudgetAccount {
  readonly runId: string;
  readonly sessionId: string;
  readonly personId: string;
  readonly channelId: string;
  /** Whether the run is an occurrence of a job, or descends from one. */
  readonly isJob: boolean;
  /** The run that a sub-agent descends from. Its limits cover the whole line of descent together. */
  readonly root?: { readonly sessionId: string; readonly runId: string };
  /** Root run of the task tree; if absent, the run itself or its root. */
  readonly taskTree?: string;
}

/** An account with the runs and sessions whose calls count as those of one run, one task tree, or one session. */
interface LimitedAccount extends Pick<BudgetAccount, "personId" | "channelId" | "isJob"> {
  readonly runIds: readonly string[];
  readonly taskTreeIds: readonly string[];
  readonly sessionIds: readonly string[];
}

export interface BudgetLimit {
  readonly scope: BudgetScope;
  readonly usd: number | null;
  readonly tokens: number | null;
  /** The calls that the limit counts. */
  readonly counts: UsageFilter;
}

const DAY_MS = 86_400_000;

/** Start of a time's UTC day. Both in milliseconds since the Unix epoch. */
export function startOfDay(at: number): number {
  return at - (at % DAY_MS);
}

/**
 * Returns the limits that apply to a run's call now, narrowest first. Those of a managed task and of a job cover the
 * whole task tree; otherwise each background sub-agent would start them afresh with the run that its end begins.
 */
export function limitsOf(
  settings: BudgetSettings,
  { personId, channelId, isJob, runIds, taskTreeIds, sessionIds }: LimitedAccount,
  now: number,
): BudgetLimit[] {
  const since = startOfDay(now);
  const counts: Readonly<Record<BudgetScope, UsageFilter | null>> = {
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

/**
 * The narrowest limit that is set in dollars only, for a run of a job or of a chat; null if there is none. Under it no
 * call of unknown price may begin.
 */
export function dollarLimit(settings: BudgetSettings, { isJob }: Pick<BudgetAccount, "isJob">): BudgetScope | null {
  const kept = SCOPES.filter((scope) => settings[`${scope}Usd`] !== undefined && (scope !== "job" || isJob));
  return kept.find((scope) => settings[`${scope}Tokens`] === undefined) ?? null;
}

export function hasLimits(settings: BudgetSettings): boolean {
  return SCOPES.some((scope) => settings[`${scope}Usd`] !== undefined || settings[`${scope}Tokens`] !== undefined);
}
