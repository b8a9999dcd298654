import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageJobDetails } from "../../wire.ts";
import { Strip } from "../sidebar/jobs.tsx";
import { type Controller, commandAction, isPending } from "../state/controller.ts";
import { jobOf, type PageState } from "../state/state.ts";
import { Label } from "../text/markdown-text.tsx";

interface JobDetailsProps {
  readonly state: PageState;
  readonly controller: Controller;
}

/** A job, beside the thread: when it is due, how it went, and what can be done with it. */
export function JobDetails({ state, controller }: JobDetailsProps): JSX.Element | null {
  const job = jobOf(state);
  if (job === undefined) return null;
  if (job === null) return <p class="hint">There is no such job any more.</p>;
  return (
    <article class="job-details" aria-labelledby="job-title">
      <section>
        <h3 id="job-title">{job.name}</h3>
        <p>{job.sentence}</p>
        <p class={job.isEnabled ? "job-state" : "job-state paused"}>
          <Label text={stateOf(job)} />
        </p>
        <Actions key={job.id} job={job} state={state} controller={controller} />
      </section>
      {job.next.length > 0 && (
        <section>
          <h3>Next</h3>
          <ul class="job-times" aria-label="Next">
            {job.next.map((due) => (
              <li key={due}>{due}</li>
            ))}
          </ul>
        </section>
      )}
      <Log job={job} />
      <section>
        <h3>What it does</h3>
        <p class="job-prompt">{job.prompt ?? "That is for people of its channel, which is private."}</p>
        <p class="hint">{job.settings.join(" · ")}</p>
      </section>
    </article>
  );
}

function stateOf({ isEnabled, pausedBecause }: PageJobDetails): string {
  if (isEnabled) return "✓ Enabled";
  return pausedBecause === null ? "⏸ Paused" : `⏸ Paused: ${pausedBecause}`;
}

interface ActionsProps extends JobDetailsProps {
  readonly job: PageJobDetails;
}

function Actions({ job, state, controller }: ActionsProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const { id, isEnabled, isFromFile, isTheirs } = job;
  if (!isTheirs) return <p class="hint">Only its owner and admins run, change and remove it.</p>;
  const given = { state, controller, id };
  return (
    <>
      <div class="buttons" role="group" aria-label="What to do with the job">
        <Action {...given} verb="run" words="Run now" />
        <Action {...given} verb={isEnabled ? "disable" : "enable"} words={isEnabled ? "Pause" : "Enable"} />
        {!isFromFile && <Action {...given} verb="edit" words="Edit" />}
        {!isFromFile && !isAsking && (
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            Remove
          </button>
        )}
      </div>
      {isFromFile && <p class="hint">It is kept in the file of jobs: change or remove it there.</p>}
      {isAsking && <Removal {...given} name={job.name} keep={() => setAsking(false)} />}
    </>
  );
}

interface ActionProps extends JobDetailsProps {
  readonly id: string;
  readonly verb: "run" | "enable" | "disable" | "edit" | "remove";
  readonly words: string;
}

function Action({ state, controller, id, verb, words }: ActionProps): JSX.Element {
  const args = `${verb} ${id}`;
  const isWaiting = isPending(state, "", commandAction("jobs", args));
  return (
    <button
      type="button"
      class={verb === "remove" ? "danger" : "default"}
      aria-disabled={isWaiting}
      aria-busy={isWaiting}
      onClick={() => controller.command("jobs", args)}
    >
      {words}
    </button>
  );
}

interface RemovalProps extends JobDetailsProps {
  readonly id: string;
  readonly name: string;
  readonly keep: () => void;
}

/** Asks once: nothing brings a job back. */
function Removal({ name, keep, ...given }: RemovalProps): JSX.Element {
  const question = useRef<HTMLDivElement>(null);
  useEffect(() => question.current?.focus(), []);
  return (
    <div ref={question} class="job-removal" role="group" aria-label={`Remove ${name}?`} tabIndex={-1}>
      <p>Remove it for good?</p>
      <div class="buttons">
        <Action {...given} verb="remove" words="Remove for good" />
        <button type="button" onClick={keep}>
          Keep it
        </button>
      </div>
    </div>
  );
}

function Log({ job }: { readonly job: PageJobDetails }): JSX.Element {
  return (
    <section>
      <h3>
        Runs <Strip job={job} />
      </h3>
      {job.log.length === 0 ? (
        <p class="hint">It has not been due yet.</p>
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
