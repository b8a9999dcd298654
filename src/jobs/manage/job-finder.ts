import type { JobRequest } from "../../core/jobs/job-control.ts";
import type { JobList, JobRow } from "../../core/store/jobs.ts";
import type { Store } from "../../core/store/store.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import { normalizedName } from "../scheduling/job-input.ts";
import { isPastReminder } from "../scheduling/occurrence.ts";
import { isIn, type JobRights } from "./job-rights.ts";

/** Jobs, limited to those that the asking person may see. */
export interface JobFinder {
  /** Jobs that the person may see, those of the channel first; only those if others read along. */
  seen(request: JobRequest): Promise<JobList>;
  /** Finds a job by name or id; otherwise says why there is none. */
  found(name: string, request: JobRequest): Promise<{ readonly job: JobRow } | { readonly reason: string }>;
}

/** Maximum number of jobs listed for an unknown name. */
const LISTED_NAMES = 10;

export function createJobFinder(store: Store, rights: JobRights): JobFinder {
  const seen: JobFinder["seen"] = async (request) => {
    const { jobs, broken } = await store.jobs.all();
    const { thread, isShared = false } = request;
    const seen = jobs.filter((job) => rights.maySee(job, request));
    // Past reminders come last, since they accumulate.
    const known = [...seen.filter((job) => !isPastReminder(job)), ...seen.filter(isPastReminder)];
    const [here, elsewhere] = [known.filter((job) => isIn(job, thread)), known.filter((job) => !isIn(job, thread))];
    return { jobs: isShared ? here : [...here, ...elsewhere], broken };
  };

  const found: JobFinder["found"] = async (name, request) => {
    const byId = await store.jobs.get(name.trim());
    if (byId !== null && rights.maySee(byId, request)) return { job: byId };
    const { jobs, broken } = await store.jobs.all();
    const known = jobs.filter((job) => rights.maySee(job, request));
    const wanted = normalizedName(name).toLowerCase();
    const job = known.find((each) => each.name.toLowerCase() === wanted);
    if (job !== undefined) return { job };
    const bad = broken.find((each) => each.id === name || each.name.toLowerCase() === wanted);
    if (bad !== undefined)
      return {
        reason: `The job \`${bad.name}\` can't be read: ${bad.problem}. An operator must fix its row in the database.`,
      };
    return { reason: unknownJob(name, (await seen(request)).jobs) };
  };

  return { seen, found };
}

function unknownJob(name: string, known: readonly JobRow[]): string {
  const named = known.slice(0, LISTED_NAMES).map((each) => `\`${each.name}\``);
  const more = known.length > LISTED_NAMES ? [`${known.length - LISTED_NAMES} more`] : [];
  const there = named.length === 0 ? "There are no jobs here." : `Jobs here: ${[...named, ...more].join(", ")}.`;
  return `I don't know the job \`${plainLine(name.replaceAll("`", ""), 80)}\`. ${there}`;
}
