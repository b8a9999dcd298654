import type { JobEvent } from "../../core/events/job-event.ts";
import type { JobReport, JobRunEnd, OpenJobReport } from "../../core/jobs/job-report.ts";
import type { OpenRunView, RunView, RunViewOptions } from "../../core/progress/run-view.ts";
import {
  RETRYABLE_ERRORS,
  TRANSIENT_PLATFORM_ERRORS,
  UNWRITABLE_THREAD_ERRORS,
} from "../../core/protocol/error-groups.ts";
import { AppError, toAppError } from "../../core/protocol/errors.ts";
import type { QueryEvent, QueryOutcome, RunStats } from "../../core/protocol/events.ts";
import { reasonOf } from "../../core/protocol/explain.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { JobRun, JobRuns } from "./job-runs.ts";
import { RunTimeLimit } from "./run-time-limit.ts";

interface ViewScope {
  readonly clock: Clock;
  readonly log: Log;
  readonly jobs: JobRuns;
  readonly openReport: OpenJobReport;
}

/** Opens the view of a job's run. It shows no progress, only the report or why there is none. */
export function openJobRun(deps: ViewScope, event: JobEvent): OpenRunView {
  return (options) => new JobRunView(deps, event, options);
}

/** Limits a run's time, judges its end and posts the result. */
class JobRunView implements RunView {
  readonly #deps: ViewScope;
  readonly #report: JobReport;
  readonly #run: JobRun;
  readonly #refusal: string | null;
  /** Resolves when the log has recorded the run's start, with the error if that failed. */
  readonly #begun: Promise<AppError | null>;
  #time: RunTimeLimit | null = null;
  #isOver = false;
  /** Whether the run is parked while its sub-agents continue to work. */
  #waitsForCalls = false;

  constructor(deps: ViewScope, event: JobEvent, options: RunViewOptions) {
    const { jobId, occurrenceId, attempt, timeoutMs, refusal = null } = event;
    this.#deps = deps;
    this.#refusal = refusal;
    this.#report = deps.openReport(options, event);
    this.#run = { jobId, occurrenceId, attempt, timeoutMs, runId: options.runId };
    // The time of a run that waits for a slot has not started.
    this.#begun = options.isQueued === true ? Promise.resolve(null) : this.#begins().then(() => null, toAppError);
  }

  show(event: QueryEvent): void {
    if (event.type === "parked") this.#waitsForCalls = event.on === "call";
    this.#report.show(event);
  }

  async finish(outcome: QueryOutcome, stats: RunStats): Promise<void> {
    this.#isOver = true;
    const failure = await this.#begun;
    // Finishing up does not count towards the run's time.
    await this.#time?.pause();
    if (failure !== null) throw failure;
    const { jobs } = this.#deps;
    const { report, text } = this.#report.wordsOf(outcome, stats);
    const end = endOf(outcome, stats, { text, refusal: this.#refusal });
    const reportText = end.refusal === null ? report : null;
    const facts = await jobs.factsOf(this.#run, end);
    if (facts.isOver) return;
    try {
      if (!facts.isUnchanged) await this.#report.say(reportText, end, facts);
    } catch (error) {
      const closed = toAppError(error);
      if (error instanceof AppError && error.code === "defect") return this.#refused(error, end);
      if (!UNWRITABLE_THREAD_ERRORS.has(closed.code)) throw closed;
      return this.#undeliverable(closed, { report: reportText, end, facts });
    }
    await jobs.ended(this.#run, end);
  }

  /**
   * Stops the clock while the run waits for people. While sub-agents work, it keeps running and the view stays open.
   */
  async park(): Promise<void> {
    if (!this.#waitsForCalls) await this.suspend();
  }

  async suspend(): Promise<void> {
    this.#isOver = true;
    await this.#begun;
    await this.#time?.pause();
  }

  async #begins(): Promise<void> {
    const { jobs, clock } = this.#deps;
    const usedMs = await jobs.begins(this.#run);
    if (this.#isOver) return;
    this.#time = new RunTimeLimit({
      clock,
      usedMs,
      timeoutMs: this.#run.timeoutMs,
      save: (ms) => this.#soon(jobs.hasRun(this.#run, ms), "job_time_not_kept"),
      onExpired: () => this.#soon(jobs.timeIsUp(this.#run), "job_not_stopped"),
    });
  }

  /** Marks the run as failed, since it would otherwise wait forever to post its report. */
  async #refused(refused: AppError, attempted: JobRunEnd): Promise<void> {
    const { jobs, log } = this.#deps;
    log.error({ err: refused, ...this.#run }, "job_report_refused");
    const end: JobRunEnd = { ...attempted, verdict: "failed", text: reasonOf(refused), transient: null };
    await this.#report.reportRefused(end, await jobs.factsOf(this.#run, end));
    await jobs.ended(this.#run, end);
  }

  /**
   * Pauses a job whose channel is gone or inaccessible, and sends the report to the owner. Rejects with transient
   * errors.
   */
  async #undeliverable(closed: AppError, details: Parameters<JobReport["notifyOwner"]>[2]): Promise<void> {
    const { jobs, log } = this.#deps;
    const owner = await jobs.undeliverable(this.#run, details.end, closed);
    if (owner === null) return;
    try {
      await this.#report.notifyOwner(owner, closed, details);
    } catch (error) {
      const failure = toAppError(error);
      log.error({ err: failure, ...this.#run, owner }, "job_owner_not_told");
      // The run stays open, and ending it is tried again later.
      if (TRANSIENT_PLATFORM_ERRORS.has(failure.code)) throw failure;
    }
  }

  async #soon(work: Promise<void>, failure: string): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#deps.log.error({ err: toAppError(error), ...this.#run }, failure);
    }
  }
}

function endOf(
  outcome: QueryOutcome,
  { costUsd, durationMs, changedFiles }: RunStats,
  { text, refusal }: Pick<JobRunEnd, "text" | "refusal">,
): JobRunEnd {
  const base = { costUsd, durationMs, transient: null, text, refusal };
  if (refusal !== null) return { ...base, verdict: "failed", text: refusal };
  switch (outcome.type) {
    case "end_turn":
      return { ...base, verdict: "succeeded" };
    case "cancelled":
      return { ...base, verdict: outcome.cause.by === "timeout" ? "timed_out" : "cancelled" };
    case "error": {
      const { code, retryAfterMs } = outcome.error;
      const mayPass = RETRYABLE_ERRORS.has(code) && changedFiles.length === 0;
      return { ...base, verdict: "failed", transient: mayPass ? { retryAfterMs } : null };
    }
    default:
      return { ...base, verdict: "failed" };
  }
}
