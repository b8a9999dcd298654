import type { JSX } from "preact";
import type { PageJob } from "../../wire.ts";
import { nextOf } from "../jobs/job-parts.tsx";
import { PlusIcon } from "../text/icons.tsx";

interface JobsProps {
  /** Null until the server has sent them. */
  readonly jobs: readonly PageJob[] | null;
  /** The shown job; null for none. */
  readonly openJob: string | null;
  readonly now: number;
  readonly open: (jobId: string) => void;
  /** Null for a read-only account. */
  readonly add: (() => void) | null;
  readonly isAdding: boolean;
}

export function Jobs({ jobs, openJob, now, open, add, isAdding }: JobsProps): JSX.Element | null {
  if (jobs === null) return null;
  return (
    <section class="jobs" aria-labelledby="jobs-title">
      <header>
        <h2 id="jobs-title">Jobs</h2>
        {add !== null && (
          <button
            type="button"
            class="icon-button"
            aria-label="Add a job"
            aria-disabled={isAdding}
            aria-busy={isAdding}
            onClick={add}
          >
            <PlusIcon />
          </button>
        )}
      </header>
      {jobs.length === 0 ? (
        <p class="hint">Scheduled work.{add !== null && " Add a job here, or ask for one in your own words."}</p>
      ) : (
        <ul>
          {jobs.map((job) => (
            <li key={job.id}>
              <JobLink job={job} isOpen={job.id === openJob} now={now} open={open} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface JobLinkProps {
  readonly job: PageJob;
  readonly isOpen: boolean;
  readonly now: number;
  readonly open: (jobId: string) => void;
}

function JobLink({ job, isOpen, now, open }: JobLinkProps): JSX.Element {
  const { id, name, sentence, nextAt } = job;
  return (
    <button
      type="button"
      class="job"
      aria-current={isOpen}
      title={nextAt === null ? sentence : `${sentence}, next ${new Date(nextAt).toLocaleString()}`}
      onClick={() => open(id)}
    >
      <span class="job-name">{name}</span>
      <span class="job-when">{nextOf(job, now)}</span>
      <span class="job-sentence">{sentence}</span>
      <Strip job={job} />
    </button>
  );
}

/** One sign for each of the newest runs; nothing before the first. */
export function Strip({ job: { strip, runs, failed } }: { readonly job: PageJob }): JSX.Element | null {
  if (runs === 0) return null;
  return (
    <span class="job-strip" role="img" aria-label={outcomeOf(runs, failed)}>
      {strip}
    </span>
  );
}

function outcomeOf(runs: number, failed: number): string {
  if (runs === 1) return failed === 0 ? "the last run succeeded" : "the last run failed";
  return `of the last ${runs} runs ${failed === 0 ? "all succeeded" : `${failed} failed`}`;
}
