import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TeamJobView } from "../../sessions/team-jobs.ts";
import { FormDialog } from "../form-dialog.tsx";
import { type Column, DataTable } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { decoded } from "../state/address.ts";
import { Label, Markdown } from "../text/markdown-text.tsx";
import { dueTimes } from "./due-times.ts";
import { type JobCommands, type JobTarget, useJobCommand } from "./use-job-command.ts";

/** One job: when it is due, how it went, and what can be done with it. */
export function JobPage({ state, rest, go }: SectionProps): JSX.Element {
  const id = decoded(rest);
  const loaded = useLoaded(id, (signal) => get<TeamJobView>("/features/console/jobs/one", { id }, signal));
  const commands = useJobCommand(state, ({ verb }) => (verb === "remove" ? go("") : loaded.again()));
  return (
    <>
      <div class="section-notes">
        <p>
          <a href="#/jobs">All jobs</a>
        </p>
        <div role="status">{commands.words !== null && <Markdown text={commands.words} />}</div>
      </div>
      <LoadedView loaded={loaded}>{(job) => <Job job={job} commands={commands} />}</LoadedView>
      {commands.form !== null && (
        <FormDialog open={commands.form} controller={commands} follows={dueTimes({ job: id })} />
      )}
    </>
  );
}

interface JobProps {
  readonly job: TeamJobView;
  readonly commands: JobCommands;
}

function Job({ job, commands }: JobProps): JSX.Element {
  const { name, sentence, platform, channel, owner, next, settings, prompt, log } = job;
  return (
    <article class="job-details" aria-labelledby="job-title">
      <h2 id="job-title">{name}</h2>
      <p>
        {sentence} · {channel} · {platform} · {owner === "" ? "of the file of jobs" : `@${owner}'s`}
      </p>
      <p class={job.isEnabled ? "job-state" : "job-state paused"}>
        <Label text={stateOf(job)} />
      </p>
      <Actions job={job} commands={commands} />
      {next.length > 0 && (
        <section>
          <h3>Next</h3>
          <ul class="job-times" aria-label="Next">
            {next.map((due) => (
              <li key={due}>{due}</li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>What it does</h3>
        <p class="job-prompt">{prompt ?? "That is for people of its channel, which is private."}</p>
        <p class="hint">{settings.join(" · ")}</p>
      </section>
      <section>
        <h3>Runs</h3>
        <DataTable caption="Runs" columns={RUNS} rows={log} keyOf={({ id }) => id} empty="It has not been due yet." />
      </section>
    </article>
  );
}

const RUNS: readonly Column<TeamJobView["log"][number]>[] = [
  { title: "Due", cell: ({ due }) => due },
  { title: "What came of it", cell: ({ outcome }) => <Label text={outcome} /> },
  { title: "Took, cost, said", cell: ({ words }) => <Label text={words} /> },
  {
    title: "Session",
    cell: ({ sessionId }) =>
      sessionId !== null && <a href={`#/sessions/${encodeURIComponent(sessionId)}`}>Open its session</a>,
  },
];

function stateOf({ isEnabled, pausedBecause }: TeamJobView): string {
  if (isEnabled) return "✓ Enabled";
  return pausedBecause === null ? "⏸ Paused" : `⏸ Paused: ${pausedBecause}`;
}

function Actions({ job, commands }: JobProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const { id, name, isEnabled, isFromFile, isTheirs, refusal } = job;
  if (refusal !== null) return <p class="hint">{refusal.replaceAll("`", "")}</p>;
  if (!isTheirs) return <p class="hint">Only its owner and admins run, change and remove it.</p>;
  const action = (verb: Exclude<JobTarget["verb"], "add">, words: string, look = "default"): JSX.Element => (
    <button
      type="button"
      class={look}
      aria-disabled={commands.isBusy}
      onClick={() => commands.tell({ verb, jobId: id })}
    >
      {words}
    </button>
  );
  return (
    <div class="buttons" role="group" aria-label={isAsking ? `Remove ${name}?` : "What to do with the job"}>
      {isAsking ? (
        <>
          <p>Remove it for good?</p>
          {action("remove", "Remove for good", "danger")}
          <button type="button" onClick={() => setAsking(false)}>
            Keep it
          </button>
        </>
      ) : (
        <>
          {action("run", "Run now")}
          {action(isEnabled ? "disable" : "enable", isEnabled ? "Pause" : "Enable")}
          {!isFromFile && action("edit", "Edit")}
          {!isFromFile && (
            <button type="button" class="danger" onClick={() => setAsking(true)}>
              Remove
            </button>
          )}
        </>
      )}
      {isFromFile && <p class="hint">It is kept in the file of jobs: change or remove it there.</p>}
    </div>
  );
}
