import type { BudgetScope } from "../protocol/events.ts";

export type BudgetUnit = "usd" | "tokens";

/** What may be spent, in US dollars and in tokens; what is absent is not limited. `user`, `channel` and `day` are per UTC day. */
export type BudgetSettings = { readonly [K in `${BudgetScope}${"Usd" | "Tokens"}`]?: number };

/** Whom a run's calls are put down to. */
export interface BudgetAccount {
  readonly runId: string;
  readonly sessionId: string;
  readonly personId: string;
  readonly channelId: string;
  /** The run is an occurrence of a job. */
  readonly isJob: boolean;
}

/** Which calls a limit counts: those that equal it in every field, since a time in milliseconds since the epoch. */
export interface SpendFilter {
  readonly runId?: string;
  readonly sessionId?: string;
  readonly personId?: string;
  readonly channelId?: string;
  readonly since?: number;
}

export interface BudgetLimit {
  readonly scope: BudgetScope;
  readonly usd: number | null;
  readonly tokens: number | null;
  readonly counts: SpendFilter;
}

const DAY_MS = 86_400_000;

/** The limits that apply to a run's call now, narrowest first. */
export function limitsOf(settings: BudgetSettings, account: BudgetAccount, now: number): BudgetLimit[] {
  const { runId, sessionId, personId, channelId, isJob } = account;
  const since = now - (now % DAY_MS);
  const counts: Readonly<Record<BudgetScope, SpendFilter | null>> = {
    run: { runId },
    job: isJob ? { runId } : null,
    session: { sessionId },
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

const SCOPES: readonly BudgetScope[] = ["run", "job", "session", "user", "channel", "day"];

export function hasLimits(settings: BudgetSettings): boolean {
  return SCOPES.some((scope) => settings[`${scope}Usd`] !== undefined || settings[`${scope}Tokens`] !== undefined);
}
