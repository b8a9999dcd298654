import type { JSX } from "preact";
import type { TeamJobView } from "../../sessions/team-jobs.ts";
import { FormDialog } from "../form-dialog.tsx";
import { type Column, DataTable } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { useRefresh } from "../section/use-refresh.ts";
import { decoded } from "../state/address.ts";
import { Label, Markdown } from "../text/markdown-text.tsx";
import { dueTimes } from "./due-times.ts";
import { JobActions, JobState, NextTimes, WhatItDoes } from "./job-parts.tsx";
import { type JobCommands, useJobCommand } from "./use-job-command.ts";

/** One job: when it is due, how it went, and what can be done with it. */
export function JobPage({ state, controller, rest, go }: SectionProps): JSX.Element {
  const id = decoded(rest);
  const loaded = useLoaded(id, (signal) => get<TeamJobView>("/features/console/jobs/one", { id }, signal));
  useRefresh(controller, loaded.reload);
  const commands = useJobCommand(state, ({ verb }) => {
    controller.refreshOverview();
    if (verb === "remove") go("");
    else loaded.reload();
  });
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
  const { name, sentence, platform, channel, owner, log } = job;
  return (
    <article class="job-details" aria-labelledby="job-title">
      <h2 id="job-title">{name}</h2>
      <p>
        {sentence} · {channel} · {platform} · {owner === "" ? "from the jobs file" : `@${owner}'s`}
      </p>
      <JobState job={job} />
      {job.refusal === null ? (
        <JobActions job={job} isBusy={() => commands.isBusy} act={(verb) => commands.run({ verb, jobId: job.id })} />
      ) : (
        <p class="hint">{job.refusal.replaceAll("`", "")}</p>
      )}
      <NextTimes next={job.next} />
      <WhatItDoes {...job} />
      <section>
        <h3>Runs</h3>
        <DataTable caption="Runs" columns={RUNS} rows={log} keyOf={({ id }) => id} empty="Not due yet." />
      </section>
    </article>
  );
}

const RUNS: readonly Column<TeamJobView["log"][number]>[] = [
  { title: "Due", cell: ({ due }) => due },
  { title: "Result", cell: ({ outcome }) => <Label text={outcome} /> },
  { title: "Time, cost, report", cell: ({ words }) => <Label text={words} /> },
  {
    title: "Session",
    cell: ({ sessionId }) =>
      sessionId !== null && <a href={`#/sessions/${encodeURIComponent(sessionId)}`}>Open session</a>,
  },
];
