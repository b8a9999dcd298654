import type { AppError } from "../protocol/errors.ts";

/** What the view of a job's run needs of the jobs: `src/jobs` stands behind it. */
export interface JobRuns {
  /** The run begins, or goes on after a pause or a restart. Answers how much of its time it has had. Milliseconds. */
  begins(run: JobRun): Promise<number>;
  /** It has had so much of its time; what is written last holds after a restart. Milliseconds. */
  hasRun(run: JobRun, ms: number): Promise<void>;
  /** The run has had its time: it is stopped, and its end is called that. */
  timeIsUp(run: JobRun): Promise<void>;
  /** What is to be said of the run's end; changes nothing. */
  factsOf(run: JobRun, end: JobRunEnd): Promise<JobFacts>;
  /** All is said: the end goes to the log, and what follows from it happens. Once, however often it is called. */
  ended(run: JobRun, end: JobRunEnd): Promise<void>;
  /** Nothing can be written in the channel: the job pauses. Answers whom to tell; null when the job is gone, or nobody's. */
  undeliverable(run: JobRun, end: JobRunEnd, error: AppError): Promise<string | null>;
}

export interface JobRun {
  readonly jobId: string;
  readonly occurrenceId: string;
  readonly runId: string;
  /** From 1. */
  readonly attempt: number;
  readonly timeoutMs: number;
}

export interface JobRunEnd {
  readonly verdict: "succeeded" | "failed" | "timed_out" | "cancelled";
  /** The report, or why there is none. */
  readonly text: string;
  readonly costUsd: number | null;
  readonly durationMs: number;
  /** Set for a failure that may pass: another attempt may be made. `retryAfterMs` as the other side asked for. */
  readonly transient: { readonly retryAfterMs: number | undefined } | null;
  /** Why it must not run any more: the job pauses. */
  readonly refusal: string | null;
}

export interface JobFacts {
  readonly name: string;
  /** `every weekday at 09:00 Europe/Paris`; null when the job is gone. */
  readonly sentence: string | null;
  /** Why it ran later than it was due; null when it did not. */
  readonly late: { readonly due: string; readonly ran: string; readonly why: string } | null;
  /** Due times since the last run that came to none. */
  readonly leftOut: number;
  /** Runs before this one, oldest first. */
  readonly history: readonly { readonly success: boolean; readonly durationMs: number | null }[];
  /** The report equals the one before, and the job says nothing then. */
  readonly isUnchanged: boolean;
  /** Nobody waits for the run any more: another has taken its place. */
  readonly isOver: boolean;
  /** When it is tried next, in words; null when it is not. */
  readonly nextTry: string | null;
  /** The next try is another attempt of the same due time. */
  readonly isRetried: boolean;
  /** Failures in a row, this one included, with which the job pauses; null when it does not. */
  readonly pausesAfter: number | null;
}
