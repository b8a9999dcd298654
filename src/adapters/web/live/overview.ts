import type { Summaries } from "../../../core/history/session-summary.ts";
import type { JobControl } from "../../../core/jobs/job-control.ts";
import { type LocalChannel, threadIn } from "../../render/local/local-channel.ts";
import { jobDetails, pageJob } from "../format.ts";
import { jobRequest } from "../inbound.ts";
import type { OverviewFrame, PagePanelLine } from "../wire.ts";

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

/** What the page shows: a thread, null for a new one, and beside it a job. */
export interface Shown {
  /** Sessions of all platforms that wait for people. */
  readonly waiting: () => Promise<number>;
  /** Where the page is, and who looks at it. */
  readonly place: LocalChannel;
  readonly threadId: string | null;
  readonly jobId: string | null;
}

/** How everything stands now. */
export async function lookAround(
  { summaries, jobs, panels }: OverviewSource,
  { waiting, place, threadId, jobId }: Shown,
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
