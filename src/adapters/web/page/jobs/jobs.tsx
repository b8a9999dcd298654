import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TeamJob } from "../../sessions/team-jobs.ts";
import { ChooseAny } from "../section/choose.tsx";
import type { Column } from "../section/data-table.tsx";
import { PagedTable } from "../section/paged-table.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { type PageOf, usePages } from "../section/use-pages.ts";
import { useRefresh } from "../section/use-refresh.ts";
import { Label } from "../text/markdown-text.tsx";
import { JobPage } from "./job-page.tsx";
import { nextOf } from "./job-parts.tsx";
import { NewJob } from "./new-job.tsx";

interface Search {
  readonly text: string;
  readonly state: string;
}

const STATES = [
  ["enabled", "Enabled"],
  ["paused", "Paused"],
  ["failing", "Failing"],
] as const;

/** Jobs of all channels that the person sees; one of them, where the address names it. */
export function Jobs(props: SectionProps): JSX.Element {
  return props.rest === "" ? <JobList {...props} /> : <JobPage key={props.rest} {...props} />;
}

function JobList({ state, controller, now }: SectionProps): JSX.Element {
  const [search, setSearch] = useState<Search>({ text: "", state: "" });
  const found = usePages(JSON.stringify(search), (after, signal) =>
    get<PageOf<TeamJob>>("/features/console/jobs", { ...search, after }, signal),
  );
  // A list that was paged further is left unchanged.
  useRefresh(controller, () => {
    if (found.isBeginning) found.reload();
  });
  return (
    <>
      <search class="filters">
        <input
          type="search"
          aria-label="Search in jobs"
          placeholder="Search names"
          value={search.text}
          onInput={({ currentTarget }) => setSearch({ ...search, text: currentTarget.value })}
        />
        <ChooseAny
          label="State"
          value={search.state}
          options={STATES}
          choose={(value) => setSearch({ ...search, state: value })}
        />
      </search>
      <NewJob
        state={state}
        done={() => {
          controller.refreshOverview();
          found.reload();
        }}
      />
      <PagedTable
        found={found}
        caption="All jobs"
        columns={columnsAt(now)}
        keyOf={({ id }) => id}
        empty="No jobs. A job runs on a schedule and posts its result."
        more="More jobs"
      />
    </>
  );
}

function columnsAt(now: number): readonly Column<TeamJob>[] {
  return [
    {
      title: "Job",
      cell: ({ id, name }) => <a href={`#/jobs/${encodeURIComponent(id)}`}>{name}</a>,
      sortBy: ({ name }) => name,
    },
    { title: "When", cell: ({ sentence }) => sentence },
    {
      title: "Next",
      cell: (job) => nextOf(job, now),
      sortBy: ({ nextAt }) => nextAt ?? Number.MAX_SAFE_INTEGER,
    },
    { title: "Where", cell: ({ channel, platform }) => `${channel} · ${platform}` },
    { title: "Owner", cell: ({ owner }) => (owner === "" ? "the jobs file" : owner), sortBy: ({ owner }) => owner },
    { title: "Recent runs", cell: ({ runs }) => <Label text={outcomeOf(runs)} /> },
  ];
}

function outcomeOf(runs: TeamJob["runs"]): string {
  if (runs.length === 0) return "none yet";
  const failed = runs.filter(({ success }) => !success).length;
  return failed === 0 ? `✓ ${runs.length} succeeded` : `✗ ${failed} of ${runs.length} failed`;
}
