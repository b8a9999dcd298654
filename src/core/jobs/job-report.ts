import type { AppError } from "../protocol/errors.ts";

/** Job operations for the view of a job's run. Implemented in `src/jobs`. */
export interface JobRuns {
  /** Records that the run begins or continues. Returns how much of its time it has used, in milliseconds. */
  begins(run: JobRun): Promise<number>;
  /** Records how much of its time the run has used, in milliseconds. The latest value counts after a restart. */
  hasRun(run: JobRun, ms: number): Promise<void>;
  /** Stops the run because its time is up, which also becomes its outcome. */
  timeIsUp(run: JobRun): Promise<void>;
  /** The facts for the report of the run's end. Changes nothing. */
  factsOf(run: JobRun, end: JobRunEnd): Promise<JobFacts>;
  /** Logs the end of the run after it was reported, and triggers what follows from it. Idempotent. */
  ended(run: JobRun, end: JobRunEnd): Promise<void>;
  /**
   * Pauses a job whose channel cannot be written to. Returns the person to tell; null if the job is gone or has no
   * owner.
   */
  undeliverable(run: JobRun, end: JobRunEnd, error: AppError): Promise<string | null>;
}

export interface JobRun {
  readonly jobId: string;
  readonly occurrenceId: string;
  readonly runId: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly timeoutMs: number;
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
  readonly history: readonly { readonly success: boolean; readonly durationMs: number | null }[];
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
