import type { JobEvent } from "../events/job-event.ts";
import type { RunViewOptions } from "../progress/run-view.ts";
import type { AppError } from "../protocol/errors.ts";
import type { QueryEvent, QueryOutcome, RunStats } from "../protocol/events.ts";
import type { PastRun } from "./history-strip.ts";

/** Formats and posts the end of a job's run. Implemented in adapters/render over any ChatPlatform. */
export interface JobReport {
  show(event: QueryEvent): void;
  wordsOf(outcome: QueryOutcome, stats: RunStats): JobWords;
  /** Posts the report or, if `report` is null, a line that explains why there is none. */
  say(report: string | null, end: JobRunEnd, facts: JobFacts): Promise<void>;
  /** Posts a line in place of a report that the platform accepts in no known form. */
  reportRefused(end: JobRunEnd, facts: JobFacts): Promise<void>;
  /** Tells the owner privately what could not be posted in the channel, and why. */
  notifyOwner(
    owner: string,
    closed: AppError,
    details: { readonly report: string | null; readonly end: JobRunEnd; readonly facts: JobFacts },
  ): Promise<void>;
}

export type OpenJobReport = (options: RunViewOptions, event: JobEvent) => JobReport;

export interface JobWords {
  /** Markdown; null if there is only an explanation why there is no report. */
  readonly report: string | null;
  /** The text for the log: the report or the explanation. */
  readonly text: string;
}

export interface JobRunEnd {
  readonly verdict: "succeeded" | "failed" | "timed_out" | "cancelled";
  /** The report, or the reason why there is none. */
  readonly text: string;
  readonly costUsd: number | null;
  readonly durationMs: number;
  /**
   * Set for a transient failure, after which another attempt may be made. `retryAfterMs` is the delay that the other
   * side asked for.
   */
  readonly transient: { readonly retryAfterMs: number | undefined } | null;
  /** Why the job must not run any more and pauses; null if it may. */
  readonly refusal: string | null;
}

export interface JobFacts {
  readonly name: string;
  /** Such as `every weekday at 09:00 Europe/Paris`; null if the job is gone. */
  readonly sentence: string | null;
  /** Why the run was late; null if it was on time. */
  readonly late: { readonly due: string; readonly ran: string; readonly why: string } | null;
  /** Number of due times since the last run that were skipped. */
  readonly leftOut: number;
  /** Earlier runs, oldest first. */
  readonly history: readonly PastRun[];
  /** Whether the report equals the previous one and the job is set to stay silent then. */
  readonly isUnchanged: boolean;
  /** Whether another run has replaced this one, so that nobody waits for it. */
  readonly isOver: boolean;
  /** When the next try is, in words; null if there is none. */
  readonly nextTry: string | null;
  /** Whether the next try is another attempt for the same due time. */
  readonly isRetried: boolean;
  /** Number of consecutive failures, including this one, after which the job pauses; null if it does not. */
  readonly pausesAfter: number | null;
}
