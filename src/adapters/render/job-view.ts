import { howToRaise } from "../../core/budget/budget-words.ts";
import type { JobEvent } from "../../core/events/job-event.ts";
import type { JobFacts, JobRun, JobRunEnd, JobRuns } from "../../core/jobs/job-runs.ts";
import type { OpenRunView, RunView, RunViewOptions } from "../../core/progress/run-view.ts";
import { type AppError, type ErrorCode, PlatformError, toAppError } from "../../core/protocol/errors.ts";
import type { QueryEvent, QueryOutcome, RunStats } from "../../core/protocol/events.ts";
import { explain } from "../../core/protocol/explain.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { OutgoingMessage } from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { answerParts } from "./answer-parts.ts";
import { UNWRITABLE, WORTH_ANOTHER_ATTEMPT } from "./failure-kinds.ts";
import { jobFooter, jobHead, jobLine } from "./job-text.ts";
import { detailsButton, type Ending, endingOf } from "./outcome-text.ts";
import type { PacedPlatform } from "./pacing/paced-platform.ts";
import { NO_PROGRESS, type ProgressState, reduceProgress } from "./progress/progress-state.ts";
import { noticeLines } from "./progress/progress-view.ts";
import { RunTime } from "./run-time.ts";

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

class JobRunView implements RunView {
  readonly #deps: JobViewDeps;
  readonly #options: RunViewOptions;
  readonly #run: JobRun;
  /** Resolves once the log knows of the run, or with why it does not. */
  readonly #begun: Promise<AppError | null>;
  readonly #event: JobEvent;
  #time: RunTime | null = null;
  #isOver = false;
  #state: ProgressState = NO_PROGRESS;

  constructor(deps: JobViewDeps, event: JobEvent, options: RunViewOptions) {
    const { jobId, occurrenceId, attempt, timeoutMs } = event;
    this.#deps = deps;
    this.#event = event;
    this.#options = options;
    this.#run = { jobId, occurrenceId, attempt, timeoutMs, runId: options.runId };
    // The time of a run that waits for a place has not begun.
    this.#begun = options.isQueued === true ? Promise.resolve(null) : this.#begins().then(() => null, toAppError);
  }

  show(event: QueryEvent): void {
    this.#state = reduceProgress(this.#state, event);
  }

  async finish(outcome: QueryOutcome, stats: RunStats): Promise<void> {
    this.#isOver = true;
    const failure = await this.#begun;
    // What is left of its time is for what it leaves behind.
    await this.#time?.pause();
    if (failure !== null) throw failure;
    const { jobs, platform } = this.#deps;
    const isDirect = platform.descriptor.isDirect(this.#options.thread);
    const ending = ownEnding(endingOf(outcome, stats, { isDirect }), outcome, this.#event);
    const end = endOf(outcome, ending, { stats, refusal: this.#event.refusal ?? null });
    const facts = await jobs.factsOf(this.#run, end);
    if (facts.isOver) return;
    try {
      if (!facts.isUnchanged) await this.#say(end.refusal === null ? reportOf(outcome, ending) : null, end, facts);
    } catch (error) {
      const closed = toAppError(error);
      if (closed instanceof PlatformError && closed.code === "defect") return this.#sayRefused(closed, end);
      if (!UNWRITABLE.has(closed.code)) throw closed;
      await this.#tellOwner(closed, end, facts);
      return;
    }
    await jobs.ended(this.#run, end);
  }

  /** Waiting for people is not counted as the run's time; its sub-agents' work is, and the view stays until the run goes on. */
  async park(): Promise<void> {
    if (this.#state.parkedOn !== "call") await this.suspend();
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
    this.#time = new RunTime({
      clock,
      hadMs,
      timeoutMs: this.#run.timeoutMs,
      keep: (ms) => this.#soon(jobs.hasRun(this.#run, ms), "job_time_not_kept"),
      isUp: () => this.#soon(jobs.timeIsUp(this.#run), "job_not_stopped"),
    });
  }

  async #say(report: string | null, end: JobRunEnd, facts: JobFacts): Promise<void> {
    if (report === null) {
      const line = message({ markdown: jobLine(facts, end), tone: "error" }, this.#failureButtons());
      // The next attempt opens the thread, if it has something to say.
      await this.#options.post("failure", line, facts.isRetried ? this.#options.thread : undefined);
      return;
    }
    const notices = noticeLines(this.#state).map((line) => `\n${line}`);
    const markdown = `${jobHead(facts)}\n\n${report}${notices.join("")}`;
    const [first, ...rest] = answerParts({ markdown, tone: "plain" }, this.#deps.platform.descriptor.limits);
    if (first === undefined) return;
    // In the channel stands the head alone: what is longer, in messages or a file, is below it.
    const head = { ...first, files: [], footer: jobFooter(facts, end), buttons: this.#buttons() };
    const whole = { ...message({ markdown: "The whole report:", tone: "plain" }, []), files: first.files };
    const below = first.files.length === 0 ? rest : [whole];
    await this.#options.post("report:0", head);
    for (const [index, part] of below.entries()) await this.#options.post(`report:${index + 1}`, part);
  }

  /** The platform takes the report in no form that we know: a line in its place, or the job would wait for it for ever. */
  async #sayRefused(refused: AppError, said: JobRunEnd): Promise<void> {
    const { jobs, log } = this.#deps;
    log.error({ err: refused, ...this.#run }, "job_report_refused");
    const end: JobRunEnd = { ...said, verdict: "failed", text: explain(refused), transient: null };
    const facts = await jobs.factsOf(this.#run, end);
    const line = message({ markdown: jobLine(facts, end), tone: "error" }, this.#failureButtons());
    await this.#options.post("refused", line);
    await jobs.ended(this.#run, end);
  }

  #failureButtons(): OutgoingMessage["buttons"] {
    return [detailsButton(this.#options.runId), ...this.#buttons()];
  }

  #buttons(): OutgoingMessage["buttons"] {
    const { jobId } = this.#run;
    return [
      { id: `job-run:${jobId}`, label: "Run now", style: "default" },
      { id: `job-pause:${jobId}`, label: "Pause", style: "default" },
    ];
  }

  /** The channel is gone or closed to us: the job pauses, and its owner reads what it had to say. Rejects with what may pass. */
  async #tellOwner(closed: AppError, end: JobRunEnd, facts: JobFacts): Promise<void> {
    const { jobs, platform, log } = this.#deps;
    const owner = await jobs.undeliverable(this.#run, end, closed);
    if (owner === null) return;
    const markdown = `${explain(closed)}\nSo I paused **${facts.name}**. This is what it had to say:`;
    const place = { ...this.#options.thread, threadId: null };
    const why = message({ markdown, tone: "error" }, []);
    const parts = [why, ...answerParts({ markdown: end.text, tone: "plain" }, platform.descriptor.limits)];
    try {
      for (const part of parts) await platform.whisper(place, owner, part);
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

/** The Markdown that is a report; null when there is only a reason why there is none. */
function reportOf({ type }: QueryOutcome, { markdown, footer, tone }: Ending): string | null {
  if (type === "cancelled" || tone === "error") return null;
  return footer === undefined ? markdown : `${markdown}\n\n${footer}`;
}

/** A job's own budget is raised, and its own model chosen, by whoever keeps the job. */
function ownEnding(ending: Ending, outcome: QueryOutcome, { budgetUsd }: JobEvent): Ending {
  if (outcome.type === "error" && NO_MODEL.has(outcome.error.code)) {
    return { ...ending, markdown: `${ending.markdown} ${OWN_MODEL}` };
  }
  if (outcome.type !== "budget_exceeded" || outcome.scope !== "job" || budgetUsd === null) return ending;
  const own = (text: string) => text.replace(howToRaise(outcome), OWN_BUDGET);
  const { markdown, footer } = ending;
  return { ...ending, markdown: own(markdown), ...(footer === undefined ? {} : { footer: own(footer) }) };
}

/** Failures with which somebody can be told later. */
const PASSES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["network", "platform_failed", "platform_rate_limited"]);

const NO_MODEL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unknown_model", "unknown_provider"]);
const OWN_MODEL = "`/jobs edit` with `--model` gives the job another one.";
const OWN_BUDGET = "That is the job's own budget: `/jobs edit` with `--budget` raises it.";

interface EndFacts {
  readonly stats: RunStats;
  readonly refusal: string | null;
}

function endOf(outcome: QueryOutcome, { markdown, footer }: Ending, { stats, refusal }: EndFacts): JobRunEnd {
  const { costUsd, durationMs, changedFiles } = stats;
  const base = { costUsd, durationMs, transient: null, text: footer ?? markdown, refusal };
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

function message(
  said: Pick<OutgoingMessage, "markdown" | "tone">,
  buttons: OutgoingMessage["buttons"],
): OutgoingMessage {
  return { lane: "answer", ...said, buttons, files: [] };
}
