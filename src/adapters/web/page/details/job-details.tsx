import type { JSX } from "preact";
import type { PageJobDetails } from "../../wire.ts";
import { JobActions, JobState, NextTimes, WhatItDoes } from "../jobs/job-parts.tsx";
import { Strip } from "../sidebar/jobs.tsx";
import { type Controller, commandAction, isPending } from "../state/controller.ts";
import { jobOf, type PageState } from "../state/state.ts";
import { Label } from "../text/markdown-text.tsx";

interface JobDetailsProps {
  readonly state: PageState;
  readonly controller: Controller;
}

/** A job beside the thread: its due time, past runs and actions. */
export function JobDetails({ state, controller }: JobDetailsProps): JSX.Element | null {
  const job = jobOf(state);
  if (job === undefined) return null;
  if (job === null) return <p class="hint">This job no longer exists.</p>;
  return (
    <article class="job-details" aria-labelledby="job-title">
      <section>
        <h3 id="job-title">{job.name}</h3>
        <p>{job.sentence}</p>
        <JobState job={job} />
        <JobActions
          key={job.id}
          job={job}
          isBusy={(verb) => isPending(state, "", commandAction("jobs", `${verb} ${job.id}`))}
          act={(verb) => controller.command("jobs", `${verb} ${job.id}`)}
        />
      </section>
      <NextTimes next={job.next} />
      <Log job={job} />
      <WhatItDoes {...job} />
    </article>
  );
}

function Log({ job }: { readonly job: PageJobDetails }): JSX.Element {
  return (
    <section>
      <h3>
        Runs <Strip job={job} />
      </h3>
      {job.log.length === 0 ? (
        <p class="hint">Not due yet.</p>
      ) : (
        <ol class="job-log" aria-label="Runs">
          {job.log.map(({ id, outcome, due, words }) => (
            <li key={id}>
              <span class="job-outcome">
                <Label text={outcome} />
              </span>
              <span class="job-due">{due}</span>
              {words !== "" && (
                <span class="job-words">
                  <Label text={words} />
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
