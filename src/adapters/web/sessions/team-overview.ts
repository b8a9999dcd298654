import type { PlatformHealth } from "../../../core/platform/chat-platform.ts";
import type { SessionState } from "./team-sessions.ts";

/** The current state of the work that one person may see. Times are in milliseconds since the epoch. */
export interface TeamOverview {
  /** Sessions with active work, the longest-running first. */
  readonly working: readonly OpenWork[];
  /** Open cards that wait for people, the oldest first. */
  readonly waiting: readonly WaitingCard[];
  readonly platforms: readonly PlatformState[];
  /** Failed runs of the current UTC day, the newest first. */
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
  /** The person or job that began it. */
  readonly by: string;
  readonly since: number;
  /** Action id of Stop; null if the viewer may not stop it. */
  readonly stop: string | null;
}

export interface WaitingCard extends SessionName {
  readonly kind: "approval" | "question";
  readonly about: string;
  readonly since: number;
}

export interface FailedRun extends SessionName {
  /** Outcome, in words. */
  readonly words: string;
  readonly at: number;
}

export interface PlatformState extends PlatformHealth {
  readonly name: string;
  readonly title: string;
  /** When the current state began, as far as this process knows. */
  readonly since: number;
  /** The most recent connection problem; null if there was none. */
  readonly lastProblem: { readonly at: number; readonly detail: string } | null;
}

/** Spending by day and month in UTC, like the budgets. */
export interface Spending {
  /** Spending of the people linked to the account; null if there are no accounts. */
  readonly own: Spent | null;
  /** Total spending; null if the viewer may see only their own. */
  readonly all: Spent | null;
}

export interface Spent {
  readonly dayUsd: number;
  readonly monthUsd: number;
  /** Number of calls this month whose price is unknown. */
  readonly unpriced: number;
  /** Null if there is no limit. */
  readonly dayLimitUsd: number | null;
}
