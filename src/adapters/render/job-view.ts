import type { JobEvent } from "../../core/events/job-event.ts";
import type { JobFacts, JobReport, JobRunEnd, JobWords, OpenJobReport } from "../../core/jobs/job-report.ts";
import { forbidsFiles } from "../../core/people/interaction.ts";
import type { OutgoingMessage } from "../../core/platform/outgoing.ts";
import type { RunViewOptions } from "../../core/progress/run-view.ts";
import { type AppError, toAppError } from "../../core/protocol/errors.ts";
import type { QueryEvent, QueryOutcome, RunStats } from "../../core/protocol/events.ts";
import { explain } from "../../core/protocol/explain.ts";
import { answerParts } from "./answer-parts.ts";
import { jobFooter, jobHead, jobLine, reasonLine } from "./job-text.ts";
import { detailsButton, endingOf, type RunEnd, runEnd } from "./outcome-text.ts";
import type { PacedPlatform } from "./pacing/paced-platform.ts";
import { NO_PROGRESS, type ProgressState, reduceProgress } from "./progress/progress-state.ts";
import { noticeLines } from "./progress/progress-view.ts";

export function jobReports(platform: PacedPlatform): OpenJobReport {
  return (options, event) => new PostedReport(platform, event, options);
}

/** True also if files turn out to be forbidden. */
const BELOW = "The report is long; the full text is below.";

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
    const end = runEnd(outcome, stats, { isDirect, job: this.#event });
    return { report: reportOf(end), text: end.reason?.text ?? end.answer };
  }

  async say(report: string | null, end: JobRunEnd, facts: JobFacts): Promise<void> {
    if (report === null) {
      // If the job is retried, the failure goes to the channel; the next attempt opens the thread if it has something
      // to report.
      const place = facts.isRetried ? this.#options.thread : undefined;
      await this.#options.post("failure", this.#failure(end, facts), place);
      return;
    }
    const notices = noticeLines(this.#state).map((line) => `\n${line}`);
    const markdown = `${jobHead(facts)}\n\n${report}${notices.join("")}`;
    const { limits } = this.#platform.descriptor;
    const [first, ...rest] = answerParts({ markdown, tone: "plain" }, limits, BELOW);
    if (first === undefined) return;
    // The channel shows only the first part. Further messages, or the file with the whole report, are posted below it.
    const head = { ...first, files: [], footer: jobFooter(facts, end), buttons: this.#buttons() };
    const whole = { ...message({ markdown: "The full report:", tone: "plain" }, []), files: first.files };
    const below = first.files.length === 0 ? rest : [whole];
    await this.#options.post("report:0", head);
    try {
      for (const [index, part] of below.entries()) await this.#options.post(`report:${index + 1}`, part);
    } catch (error) {
      const refused = toAppError(error);
      if (!forbidsFiles(refused, below)) throw error;
      const ending = { markdown, tone: "plain", footer: explain(refused) } as const;
      const inMessages = answerParts(ending, { ...limits, answerParts: Infinity });
      for (const [index, part] of inMessages.entries()) await this.#options.post(`whole:${index}`, part);
    }
  }

  async reportRefused(end: JobRunEnd, facts: JobFacts): Promise<void> {
    await this.#options.post("refused", this.#failure(end, facts));
  }

  #failure(end: JobRunEnd, facts: JobFacts): OutgoingMessage {
    const buttons = [detailsButton(this.#options.runId), ...this.#buttons()];
    return message({ markdown: jobLine(facts, end), tone: "error" }, buttons);
  }

  #buttons(): OutgoingMessage["buttons"] {
    const { jobId } = this.#event;
    return [
      { id: `job-run:${jobId}`, label: "Run now", style: "default" },
      { id: `job-pause:${jobId}`, label: "Pause", style: "default" },
    ];
  }

  async notifyOwner(
    owner: string,
    closed: AppError,
    { report, end, facts }: Parameters<JobReport["notifyOwner"]>[2],
  ): Promise<void> {
    const markdown = `${explain(closed)}\nI paused **${facts.name}**. This is its report:`;
    const place = { ...this.#options.thread, threadId: null };
    const why = message({ markdown, tone: "error" }, []);
    const markdownOfRun = report ?? reasonLine(end);
    const parts = [why, ...answerParts({ markdown: markdownOfRun, tone: "plain" }, this.#platform.descriptor.limits)];
    for (const part of parts) await this.#platform.postEphemeral(place, owner, part);
  }
}

/** The report as Markdown; null if there is only a reason why there is none. */
function reportOf(end: RunEnd): string | null {
  if (end.answer === "" && end.reason?.kind !== "cut") return null;
  const { markdown, footer } = endingOf(end);
  return footer === undefined ? markdown : `${markdown}\n\n${footer}`;
}

function message(
  content: Pick<OutgoingMessage, "markdown" | "tone">,
  buttons: OutgoingMessage["buttons"],
): OutgoingMessage {
  return { lane: "answer", ...content, buttons, files: [] };
}
