import type { Summaries } from "../../../core/history/session-summary.ts";
import type { JobControl } from "../../../core/jobs/job-control.ts";
import { type LocalChannel, threadIn } from "../../render/local/local-channel.ts";
import { jobDetails, pageJob } from "../format.ts";
import { jobRequest } from "../inbound.ts";
import type { OverviewFrame, PagePanelLine } from "../wire.ts";

/** Sources of what the page shows beside its threads. */
export interface OverviewSource {
  readonly summaries: Summaries;
  readonly jobs: Pick<JobControl, "overview" | "view">;
  readonly panels: readonly PanelSource[];
}

/** A feature's panel on the page, hidden while it has no lines. */
export interface PanelSource {
  readonly title: string;
  lines(): readonly PagePanelLine[];
  /** Calls back whenever the lines change. */
  watch(changed: () => void): void;
}

/** The thread that the page shows, null for a new one, and the job beside it. */
export interface OverviewQuery {
  /** Number of sessions on all platforms that wait for people. */
  readonly waiting: () => Promise<number>;
  /** The page's channel and its viewer. */
  readonly place: LocalChannel;
  readonly threadId: string | null;
  readonly jobId: string | null;
}

export async function collectOverview(
  { summaries, jobs, panels }: OverviewSource,
  { waiting, place, threadId, jobId }: OverviewQuery,
  at: number,
): Promise<OverviewFrame> {
  const request = jobRequest(place, threadId, at);
  const [session, busy, known, job, waitingCount] = await Promise.all([
    threadId === null ? null : summaries.of(threadIn(place, threadId)),
    summaries.busyThreads(place.platform.name),
    jobs.overview(request),
    jobId === null ? null : jobs.view(jobId, request),
    waiting(),
  ]);
  return {
    type: "overview",
    threadId,
    session,
    busy: Object.fromEntries(busy),
    waiting: waitingCount,
    jobs: known.map(pageJob),
    panels: panels.map((panel) => ({
      title: panel.title,
      lines: panel.lines().map(({ line, nextAt }) => ({ line, nextAt })),
    })),
    jobId,
    job: job === null ? null : jobDetails(job),
  };
}
