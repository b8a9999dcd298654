import { howToRaise } from "../../core/budget/budget-words.ts";
import type { JobEvent } from "../../core/events/job-event.ts";
import type { JobReport, JobWords } from "../../core/jobs/job-run-view.ts";
import type { JobFacts, JobRunEnd } from "../../core/jobs/job-runs.ts";
import type { RunViewOptions } from "../../core/progress/run-view.ts";
import type { AppError, ErrorCode } from "../../core/protocol/errors.ts";
import type { QueryEvent, QueryOutcome, RunStats } from "../../core/protocol/events.ts";
import { explain } from "../../core/protocol/explain.ts";
import type { OutgoingMessage } from "../../core/protocol/platform.ts";
import { answerParts } from "./answer-parts.ts";
import { jobFooter, jobHead, jobLine } from "./job-text.ts";
import { detailsButton, type Ending, endingOf } from "./outcome-text.ts";
import type { PacedPlatform } from "./pacing/paced-platform.ts";
import { NO_PROGRESS, type ProgressState, reduceProgress } from "./progress/progress-state.ts";
import { noticeLines } from "./progress/progress-view.ts";

/** How the end of a job's run is said on a platform. */
export function jobReports(platform: PacedPlatform): (options: RunViewOptions, event: JobEvent) => JobReport {
  return (options, event) => new PostedReport(platform, event, options);
}

class PostedReport implements JobReport {
  readonly #platform: PacedPlatform;
  readonly #event: JobEvent;
  readonly #options: RunViewOptions;
  #state: ProgressState = NO_PROGRESS;

  constructor(platform: PacedPlatform, event: JobEvent, options: RunViewOptions) {
    this.#platform = platform;
    this.#event = event;
    this.#options = options;
  }

  show(event: QueryEvent): void {
    this.#state = reduceProgress(this.#state, event);
  }

  wordsOf(outcome: QueryOutcome, stats: RunStats): JobWords {
    const isDirect = this.#platform.descriptor.isDirect(this.#options.thread);
    const ending = ownEnding(endingOf(outcome, stats, { isDirect }), outcome, this.#event);
    return { report: reportOf(outcome, ending), text: ending.footer ?? ending.markdown };
  }

  async say(report: string | null, end: JobRunEnd, facts: JobFacts): Promise<void> {
    if (report === null) {
      const line = message({ markdown: jobLine(facts, end), tone: "error" }, this.#failureButtons());
      // The next attempt opens the thread, if it has something to say.
      await this.#options.post("failure", line, facts.isRetried ? this.#options.thread : undefined);
      return;
    }
    const notices = noticeLines(this.#state).map((line) => `\n${line}`);
    const markdown = `${jobHead(facts)}\n\n${report}${notices.join("")}`;
    const [first, ...rest] = answerParts({ markdown, tone: "plain" }, this.#platform.descriptor.limits);
    if (first === undefined) return;
    // In the channel stands the head alone: what is longer, in messages or a file, is below it.
    const head = { ...first, files: [], footer: jobFooter(facts, end), buttons: this.#buttons() };
    const whole = { ...message({ markdown: "The whole report:", tone: "plain" }, []), files: first.files };
    const below = first.files.length === 0 ? rest : [whole];
    await this.#options.post("report:0", head);
    for (const [index, part] of below.entries()) await this.#options.post(`report:${index + 1}`, part);
  }

  async sayRefused(end: JobRunEnd, facts: JobFacts): Promise<void> {
    const line = message({ markdown: jobLine(facts, end), tone: "error" }, this.#failureButtons());
    await this.#options.post("refused", line);
  }

  #failureButtons(): OutgoingMessage["buttons"] {
    return [detailsButton(this.#options.runId), ...this.#buttons()];
  }

  #buttons(): OutgoingMessage["buttons"] {
    const { jobId } = this.#event;
    return [
      { id: `job-run:${jobId}`, label: "Run now", style: "default" },
      { id: `job-pause:${jobId}`, label: "Pause", style: "default" },
    ];
  }

  async tellOwner(
    owner: string,
    closed: AppError,
    { end, facts }: Parameters<JobReport["tellOwner"]>[2],
  ): Promise<void> {
    const markdown = `${explain(closed)}\nSo I paused **${facts.name}**. This is what it had to say:`;
    const place = { ...this.#options.thread, threadId: null };
    const why = message({ markdown, tone: "error" }, []);
    const parts = [why, ...answerParts({ markdown: end.text, tone: "plain" }, this.#platform.descriptor.limits)];
    for (const part of parts) await this.#platform.postEphemeral(place, owner, part);
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

const NO_MODEL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unknown_model", "unknown_provider"]);
const OWN_MODEL = "`/jobs edit` with `--model` gives the job another one.";
const OWN_BUDGET = "That is the job's own budget: `/jobs edit` with `--budget` raises it.";

function message(
  said: Pick<OutgoingMessage, "markdown" | "tone">,
  buttons: OutgoingMessage["buttons"],
): OutgoingMessage {
  return { lane: "answer", ...said, buttons, files: [] };
}
