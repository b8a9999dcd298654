import type { PlatformHealth } from "../../../core/protocol/platform.ts";
import type { SessionState } from "./team-sessions.ts";

/** How everything stands, as far as one person may see it. Times are milliseconds since the epoch. */
export interface TeamOverview {
  /** Sessions in which something goes on, the longest first. */
  readonly working: readonly OpenWork[];
  /** What people are asked, the oldest first. */
  readonly waiting: readonly WaitingCard[];
  readonly platforms: readonly PlatformState[];
  /** Runs of the UTC day that have failed, the newest first. */
  readonly failed: readonly FailedRun[];
  readonly spending: Spending;
}

export interface SessionName {
  readonly sessionId: string;
  readonly title: string;
  readonly platform: string;
  readonly channel: string;
}

export interface OpenWork extends SessionName {
  readonly agent: string;
  readonly state: SessionState;
  /** Whose words, or which job, began it. */
  readonly by: string;
  readonly since: number;
  /** Presses Stop; null where the viewer may not. */
  readonly stop: string | null;
}

export interface WaitingCard extends SessionName {
  readonly kind: "approval" | "question";
  readonly about: string;
  readonly since: number;
}

export interface FailedRun extends SessionName {
  /** What came of it, in words. */
  readonly words: string;
  readonly at: number;
}

export interface PlatformState extends PlatformHealth {
  readonly name: string;
  readonly title: string;
  /** Since when it is as it is, as far as this process knows. */
  readonly since: number;
  /** What it said when it last was not connected; null: it always was. */
  readonly lastProblem: { readonly at: number; readonly detail: string } | null;
}

/** Days and months are those of UTC, as budgets have them. */
export interface Spending {
  /** What the people have spent that the account is; null where there are no accounts. */
  readonly own: Spent | null;
  /** Null: the viewer sees their own alone. */
  readonly all: Spent | null;
}

export interface Spent {
  readonly dayUsd: number;
  readonly monthUsd: number;
  /** Calls of the month whose price is unknown. */
  readonly unpriced: number;
  /** Null: it is not limited. */
  readonly dayLimitUsd: number | null;
}
