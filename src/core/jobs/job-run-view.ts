import type { JobEvent } from "../events/job-event.ts";
import type { OpenRunView, RunView, RunViewOptions } from "../progress/run-view.ts";
import { AppError, toAppError } from "../protocol/errors.ts";
import type { QueryEvent, QueryOutcome, RunStats } from "../protocol/events.ts";
import { reasonOf } from "../protocol/explain.ts";
import { PASSES, UNWRITABLE, WORTH_ANOTHER_ATTEMPT } from "../protocol/failure-kinds.ts";
import type { Log } from "../protocol/log.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { JobFacts, JobRun, JobRunEnd, JobRuns } from "./job-runs.ts";
import { RunTimeLimit } from "./run-time-limit.ts";

/** How the end of a job's run is said; adapters/render implements it over any ChatPlatform. */
export interface JobReport {
  show(event: QueryEvent): void;
  wordsOf(outcome: QueryOutcome, stats: RunStats): JobWords;
  /** Posts the report, or the line that says why there is none: `report` is null then. */
  say(report: string | null, end: JobRunEnd, facts: JobFacts): Promise<void>;
  /** The platform takes the report in no form that we know: a line in its place. */
  sayRefused(end: JobRunEnd, facts: JobFacts): Promise<void>;
  /** Tells the owner alone what the channel does not take, and why. */
  tellOwner(
    owner: string,
    closed: AppError,
    said: { readonly report: string | null; readonly end: JobRunEnd; readonly facts: JobFacts },
  ): Promise<void>;
}

export interface JobWords {
  /** Markdown; null when there is only a reason why there is none. */
  readonly report: string | null;
  /** What the log keeps: the report, or the reason. */
  readonly text: string;
}

export interface JobRunViewDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly jobs: JobRuns;
  readonly openReport: (options: RunViewOptions, event: JobEvent) => JobReport;
}

/** A job works in silence: what is seen of its run is the report, or why there is none. */
export function openJobRun(deps: JobRunViewDeps, event: JobEvent): OpenRunView {
  return (options) => new JobRunView(deps, event, options);
}

/** Counts the run's time, judges its end and has it said. */
class JobRunView implements RunView {
  readonly #deps: JobRunViewDeps;
  readonly #report: JobReport;
  readonly #run: JobRun;
  readonly #refusal: string | null;
  /** Resolves once the log knows of the run, or with why it does not. */
  readonly #begun: Promise<AppError | null>;
  #time: RunTimeLimit | null = null;
  #isOver = false;
  /** Its sub-agents work on while it is parked. */
  #waitsForCalls = false;

  constructor(deps: JobRunViewDeps, event: JobEvent, options: RunViewOptions) {
    const { jobId, occurrenceId, attempt, timeoutMs, refusal = null } = event;
    this.#deps = deps;
    this.#refusal = refusal;
    this.#report = deps.openReport(options, event);
    this.#run = { jobId, occurrenceId, attempt, timeoutMs, runId: options.runId };
    // The time of a run that waits for a place has not begun.
    this.#begun = options.isQueued === true ? Promise.resolve(null) : this.#begins().then(() => null, toAppError);
  }

  show(event: QueryEvent): void {
    if (event.type === "parked") this.#waitsForCalls = event.on === "call";
    this.#report.show(event);
  }

  async finish(outcome: QueryOutcome, stats: RunStats): Promise<void> {
    this.#isOver = true;
    const failure = await this.#begun;
    // What is left of its time is for what it leaves behind.
    await this.#time?.pause();
    if (failure !== null) throw failure;
    const { jobs } = this.#deps;
    const { report, text } = this.#report.wordsOf(outcome, stats);
    const end = endOf(outcome, stats, { text, refusal: this.#refusal });
    const said = end.refusal === null ? report : null;
    const facts = await jobs.factsOf(this.#run, end);
    if (facts.isOver) return;
    try {
      if (!facts.isUnchanged) await this.#report.say(said, end, facts);
    } catch (error) {
      const closed = toAppError(error);
      if (error instanceof AppError && error.code === "defect") return this.#refused(error, end);
      if (!UNWRITABLE.has(closed.code)) throw closed;
      return this.#undeliverable(closed, { report: said, end, facts });
    }
    await jobs.ended(this.#run, end);
  }

  /** Waiting for people is not counted as the run's time; its sub-agents' work is, and the view stays until the run goes on. */
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
    const hadMs = await jobs.begins(this.#run);
    if (this.#isOver) return;
    this.#time = new RunTimeLimit({
      clock,
      hadMs,
      timeoutMs: this.#run.timeoutMs,
      keep: (ms) => this.#soon(jobs.hasRun(this.#run, ms), "job_time_not_kept"),
      isUp: () => this.#soon(jobs.timeIsUp(this.#run), "job_not_stopped"),
    });
  }

  /** The job would wait for its report for ever: it has failed. */
  async #refused(refused: AppError, said: JobRunEnd): Promise<void> {
    const { jobs, log } = this.#deps;
    log.error({ err: refused, ...this.#run }, "job_report_refused");
    const end: JobRunEnd = { ...said, verdict: "failed", text: reasonOf(refused), transient: null };
    await this.#report.sayRefused(end, await jobs.factsOf(this.#run, end));
    await jobs.ended(this.#run, end);
  }

  /** The channel is gone or closed to us: the job pauses, and its owner reads what it had to say. Rejects with what may pass. */
  async #undeliverable(closed: AppError, said: Parameters<JobReport["tellOwner"]>[2]): Promise<void> {
    const { jobs, log } = this.#deps;
    const owner = await jobs.undeliverable(this.#run, said.end, closed);
    if (owner === null) return;
    try {
      await this.#report.tellOwner(owner, closed, said);
    } catch (error) {
      const untold = toAppError(error);
      log.error({ err: untold, ...this.#run, owner }, "job_owner_not_told");
      // The run stays open, and is ended again later.
      if (PASSES.has(untold.code)) throw untold;
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
      const mayPass = WORTH_ANOTHER_ATTEMPT.has(code) && changedFiles.length === 0;
      return { ...base, verdict: "failed", transient: mayPass ? { retryAfterMs } : null };
    }
    default:
      return { ...base, verdict: "failed" };
  }
}
