import { historyStrip } from "../../core/jobs/history-strip.ts";
import type { JobOverview, JobView } from "../../core/jobs/job-control.ts";
import type { PageJob, PageJobDetails } from "./wire.ts";

/** A job as the page shows it beside its threads. */
export function jobDetails(job: JobView): PageJobDetails {
  const { isFromFile, isTheirs, pausedBecause, next, prompt, settings, log } = job;
  return { ...pageJob(job), isFromFile, isTheirs, pausedBecause, next, prompt, settings, log };
}

export function pageJob({ id, name, sentence, nextAt, isEnabled, isDone, runs }: JobOverview): PageJob {
  const failed = runs.filter(({ success }) => !success).length;
  return { id, name, sentence, nextAt, isEnabled, isDone, strip: historyStrip(runs), runs: runs.length, failed };
}
