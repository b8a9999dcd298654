import type { JobFacts, JobRun, JobRunEnd, JobRuns } from "../../core/jobs/job-runs.ts";
import { TIME_LIMIT } from "../../core/jobs/job-runs.ts";
import { type AppError, toAppError } from "../../core/protocol/errors.ts";
import type { QueryEvent, QueryOutcome, RunStats } from "../../core/protocol/events.ts";
import { explain } from "../../core/protocol/explain.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { OutgoingMessage } from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { JobEvent } from "../../core/sessions/job-event.ts";
import type { OpenRunView, RunView, RunViewOptions } from "../../core/sessions/run-view.ts";
import { answerParts } from "./answer-parts.ts";
import { jobFooter, jobHead, jobLine } from "./job-text.ts";
import { type Ending, endingOf } from "./outcome-text.ts";
import type { PacedPlatform } from "./paced-platform.ts";
import { NO_PROGRESS, type ProgressState, reduceProgress } from "./progress-state.ts";
import { noticeLines } from "./progress-view.ts";

export interface JobViewDeps {
  readonly platform: PacedPlatform;
  readonly clock: Clock;
  readonly log: Log;
  readonly jobs: JobRuns;
}

/** A job works in silence: what is seen of its run is the report, or why there is none. */
export function createJobViews(deps: JobViewDeps, event: JobEvent): OpenRunView {
  return (options) => new JobRunView(deps, event, options);
}

/** Errors with which no attempt has done anything wrong: another may go well. */
const TRANSIENT: ReadonlySet<string> = new Set([
  "rate_limited",
  "overloaded",
  "stalled",
  "incomplete_stream",
  "network",
  "provider_failed",
  "empty_response",
  "sandbox_failed",
]);
/** Failures after which nothing can be written in the channel. */
const UNWRITABLE: ReadonlySet<string> = new Set(["thread_gone", "missing_scope"]);

class JobRunView implements RunView {
  readonly #deps: JobViewDeps;
  readonly #options: RunViewOptions;
  readonly #run: JobRun;
  /** Resolves once the log knows of the run, or with why it does not. */
  readonly #begun: Promise<AppError | null>;
  #cancelTimer: () => void;
  #state: ProgressState = NO_PROGRESS;

  constructor(deps: JobViewDeps, { jobId, occurrenceId, attempt, timeoutMs }: JobEvent, options: RunViewOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#run = { jobId, occurrenceId, attempt, timeoutMs, runId: options.runId };
    this.#cancelTimer = deps.clock.after(timeoutMs, () => this.#timeIsUp());
    this.#begun = deps.jobs.begins(this.#run).then(() => null, toAppError);
  }

  show(event: QueryEvent): void {
    // The time of a run that waits for a place has not begun.
    if (event.type === "queued") this.#cancelTimer();
    this.#state = reduceProgress(this.#state, event);
  }

  async finish(outcome: QueryOutcome, stats: RunStats): Promise<void> {
    await this.suspend();
    const failure = await this.#begun;
    if (failure !== null) throw failure;
    const { jobs } = this.#deps;
    const ending = endingOf(outcome, stats);
    const end = endOf(outcome, ending, stats);
    const facts = await jobs.factsOf(this.#run, end);
    if (facts.isOver) return;
    try {
      if (!facts.isUnchanged) await this.#say(reportOf(outcome, ending), end, facts);
    } catch (error) {
      const closed = toAppError(error);
      if (!UNWRITABLE.has(closed.code)) throw closed;
      await this.#tellOwner(closed, end, facts);
      return;
    }
    await jobs.ended(this.#run, end);
  }

  /** Waiting for people is not counted as the run's time; with its next wake it gets all of it again. */
  async park(): Promise<void> {
    await this.suspend();
  }

  async suspend(): Promise<void> {
    this.#cancelTimer();
    await this.#begun;
  }

  async #say(report: string | null, end: JobRunEnd, facts: JobFacts): Promise<void> {
    if (report === null) {
      const posted = await this.#options.post(
        "failure",
        message({ markdown: jobLine(facts, end), tone: "error" }, this.#buttons()),
      );
      if (!facts.isRetried) await this.#deps.jobs.opened(this.#run, posted);
      return;
    }
    const notices = noticeLines(this.#state).map((line) => `\n${line}`);
    const markdown = `${jobHead(facts)}\n\n${report}${notices.join("")}`;
    const [first, ...rest] = answerParts({ markdown, tone: "plain" }, this.#deps.platform.limits);
    if (first === undefined) return;
    const head = { ...first, footer: jobFooter(facts, end), buttons: this.#buttons() };
    const thread = await this.#deps.jobs.opened(this.#run, await this.#options.post("report:0", head));
    for (const [index, part] of rest.entries()) await this.#options.post(`report:${index + 1}`, part, thread);
  }

  #buttons(): OutgoingMessage["buttons"] {
    const { jobId } = this.#run;
    return [
      { id: `job-run:${jobId}`, label: "Run now", style: "default" },
      { id: `job-pause:${jobId}`, label: "Pause", style: "default" },
    ];
  }

  /** The channel is gone or closed to us: the job pauses, and its owner reads what it had to say. */
  async #tellOwner(closed: AppError, end: JobRunEnd, facts: JobFacts): Promise<void> {
    const { jobs, platform, log } = this.#deps;
    const owner = await jobs.undeliverable(this.#run, end, closed);
    if (owner === null) return;
    const markdown = `${explain(closed)}\nSo I paused **${facts.name}**. This is what it had to say:\n\n${end.text}`;
    const place = { ...this.#options.thread, threadId: null };
    try {
      const parts = answerParts({ markdown, tone: "error" }, platform.limits);
      for (const part of parts) await platform.whisper(place, owner, part);
    } catch (error) {
      log.error({ err: toAppError(error), ...this.#run, owner }, "job_owner_not_told");
    }
  }

  #timeIsUp(): void {
    const { jobs, log } = this.#deps;
    jobs
      .timeIsUp(this.#run)
      .catch((error: unknown) => log.error({ err: toAppError(error), ...this.#run }, "job_not_stopped"));
  }
}

/** The Markdown that is a report; null when there is only a reason why there is none. */
function reportOf({ type }: QueryOutcome, { markdown, footer, tone }: Ending): string | null {
  if (type === "cancelled" || tone === "error") return null;
  return footer === undefined ? markdown : `${markdown}\n\n${footer}`;
}

function endOf(outcome: QueryOutcome, { markdown, footer }: Ending, stats: RunStats): JobRunEnd {
  const { costUsd, durationMs, changedFiles } = stats;
  const base = { costUsd, durationMs, transient: null, text: footer ?? markdown };
  switch (outcome.type) {
    case "end_turn":
      return { ...base, verdict: "succeeded" };
    case "cancelled":
      return { ...base, verdict: outcome.by.startsWith(TIME_LIMIT) ? "timed_out" : "cancelled" };
    case "error": {
      const { code, retryAfterMs } = outcome.error;
      const mayPass = TRANSIENT.has(code) && changedFiles.length === 0;
      return { ...base, verdict: "failed", transient: mayPass ? { retryAfterMs } : null };
    }
    default:
      return { ...base, verdict: "failed" };
  }
}

function message(
  said: Pick<OutgoingMessage, "markdown" | "tone">,
  buttons: OutgoingMessage["buttons"],
): OutgoingMessage {
  return { lane: "answer", ...said, buttons, files: [] };
}
