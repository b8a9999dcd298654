import type { ChatCommand } from "../../../core/command-line/command.ts";
import type { Summaries } from "../../../core/history/session-summary.ts";
import { historyStrip } from "../../../core/jobs/history-strip.ts";
import type { JobControl, JobOverview, JobView } from "../../../core/jobs/job-control.ts";
import { jobRequest, threadRef } from "../inbound.ts";
import type { PageCommand, PageJob, PageJobDetails, PagePanelLine, ServerFrame } from "../wire.ts";

/** Who knows what the page shows beside its threads. */
export interface OverviewSource {
  readonly summaries: Summaries;
  readonly jobs: Pick<JobControl, "overview" | "view">;
  readonly panels: readonly PanelSource[];
}

/** What a feature shows on the page; nothing where it has no lines. */
export interface PanelSource {
  readonly title: string;
  lines(): readonly PagePanelLine[];
  /** Calls back whenever they have changed. */
  watch(changed: () => void): void;
}

type OverviewFrame = Extract<ServerFrame, { type: "overview" }>;

/** What the page shows: a thread, null for a new one, and beside it a job. */
export interface Shown {
  readonly threadId: string | null;
  readonly jobId: string | null;
}

/** How everything stands now. */
export async function lookAround(
  { summaries, jobs, panels }: OverviewSource,
  { threadId, jobId }: Shown,
  at: number,
): Promise<OverviewFrame> {
  const request = jobRequest(threadId, at);
  const [session, busy, known, job] = await Promise.all([
    threadId === null ? null : summaries.of(threadRef(threadId)),
    summaries.busyThreads("web"),
    jobs.overview(request),
    jobId === null ? null : jobs.view(jobId, request),
  ]);
  return {
    type: "overview",
    threadId,
    session,
    busy: Object.fromEntries(busy),
    jobs: known.map(pageJob),
    panels: panels.map((panel) => ({
      title: panel.title,
      lines: panel.lines().map(({ line, nextAt }) => ({ line, nextAt })),
    })),
    jobId,
    job: job === null ? null : jobDetails(job),
  };
}

function jobDetails(job: JobView): PageJobDetails {
  const { isFromFile, isTheirs, pausedBecause, next, prompt, settings, log } = job;
  return { ...pageJob(job), isFromFile, isTheirs, pausedBecause, next, prompt, settings, log };
}

function pageJob({ id, name, sentence, nextAt, isEnabled, runs }: JobOverview): PageJob {
  const failed = runs.filter(({ success }) => !success).length;
  return { id, name, sentence, nextAt, isEnabled, strip: historyStrip(runs), runs: runs.length, failed };
}

/** What the composer offers after a slash. */
export function pageCommands(commands: readonly ChatCommand[]): PageCommand[] {
  return commands.map(({ name, description, usage = "", options = [] }) => {
    const [first] = options;
    const subcommands = options.filter((option) => option.options !== undefined);
    const words =
      subcommands.length > 0
        ? subcommands.map((option) => ({ word: option.name, description: option.description }))
        : (first?.choices ?? []).map((word) => ({ word, description: "" }));
    return { name, usage, description, words };
  });
}
