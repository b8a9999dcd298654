import type { JSX } from "preact";
import type { PageJob } from "../wire.ts";
import { until } from "./when.ts";

interface JobsProps {
  /** Null before the server has told. */
  readonly jobs: readonly PageJob[] | null;
  readonly now: number;
}

export function Jobs({ jobs, now }: JobsProps): JSX.Element | null {
  if (jobs === null) return null;
  return (
    <section class="jobs" aria-labelledby="jobs-title">
      <h2 id="jobs-title">Jobs</h2>
      {jobs.length === 0 ? (
        <p class="hint">
          Work by the clock. <code>/jobs add</code> begins one, or ask in your own words.
        </p>
      ) : (
        <ul>
          {jobs.map((job) => (
            <JobLine key={job.id} job={job} now={now} />
          ))}
        </ul>
      )}
    </section>
  );
}

function JobLine({ job, now }: { readonly job: PageJob; readonly now: number }): JSX.Element {
  const { name, sentence, nextAt, isEnabled, strip, runs, failed } = job;
  const when = isEnabled ? (nextAt === null ? "not due again" : until(nextAt, now)) : "paused";
  const outcome = `${runs === 1 ? "the newest run" : `of the ${runs} newest runs`}${failed === 0 ? (runs === 1 ? " went well" : " all went well") : runs === 1 ? " failed" : ` ${failed} failed`}`;
  return (
    <li class="job" title={nextAt === null ? sentence : `${sentence}, next ${new Date(nextAt).toLocaleString()}`}>
      <span class="job-name">{name}</span>
      <span class="job-when">{when}</span>
      <span class="job-sentence">{sentence}</span>
      {runs > 0 && (
        <span class="job-strip" role="img" aria-label={outcome}>
          {strip}
        </span>
      )}
    </li>
  );
}
