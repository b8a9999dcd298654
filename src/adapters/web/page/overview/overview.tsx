import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { dollars } from "../../../../core/text/dollars.ts";
import type { OpenWork, SessionName, Spent, TeamOverview } from "../../sessions/team-overview.ts";
import { type Column, DataTable, type DataTableProps } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { useRefresh } from "../section/use-refresh.ts";
import { press } from "../sessions/api.ts";
import { stateWords } from "../sessions/states.ts";
import { Label } from "../text/markdown-text.tsx";
import { lasting } from "../text/relative-time.ts";

/** Overview of running work, waiting cards, failures and costs. */
export function Overview({ state, controller }: SectionProps): JSX.Element {
  const loaded = useLoaded("", (signal) => get<TeamOverview>("/features/console/overview", {}, signal));
  useRefresh(controller, loaded.reload);
  const [told, setTold] = useState<string | null>(null);
  const stop = async ({ sessionId, stop: action }: OpenWork): Promise<void> => {
    const { words } = await press(sessionId, action ?? "", state);
    setTold(words);
    loaded.reload();
  };
  return (
    <LoadedView loaded={loaded}>
      {(overview) => (
        <div class="overview">
          <p class="press-words" role="status">
            {told}
          </p>
          <TablePart
            title="Running now"
            columns={workColumns((work) => {
              stop(work).catch(() => {});
            })}
            rows={overview.working}
            keyOf={({ sessionId }) => sessionId}
            empty="Nothing is running."
          />
          <TablePart
            title="Waiting for people"
            columns={WAITING}
            rows={overview.waiting}
            keyOf={({ sessionId, about, since }) => `${sessionId} ${since} ${about}`}
            empty="Nothing is waiting."
          />
          <TablePart
            title="Platforms"
            columns={PLATFORMS}
            rows={overview.platforms}
            keyOf={({ name }) => name}
            empty="No platform is connected."
          />
          <TablePart
            title="Failed today (UTC)"
            caption="Failed today"
            columns={FAILED}
            rows={overview.failed}
            keyOf={({ sessionId, at }) => `${sessionId} ${at}`}
            empty="Nothing has failed since midnight UTC."
          />
          <Spending {...overview.spending} />
        </div>
      )}
    </LoadedView>
  );
}

interface TablePartProps<T> extends Omit<DataTableProps<T>, "caption"> {
  readonly title: string;
  readonly caption?: string;
}

function TablePart<T>({ title, caption = title, ...table }: TablePartProps<T>): JSX.Element {
  return (
    <Part title={title}>
      <DataTable caption={caption} {...table} />
    </Part>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

function SessionLink({ sessionId, title }: SessionName): JSX.Element {
  return <a href={`#/sessions/${encodeURIComponent(sessionId)}`}>{title === "" ? "Untitled" : title}</a>;
}

const where = ({ channel, platform }: SessionName): string => `${channel} · ${platform}`;

function Since({ at }: { readonly at: number }): JSX.Element {
  return <time dateTime={new Date(at).toISOString()}>{lasting(at, Date.now())}</time>;
}

function workColumns(stop: (work: OpenWork) => void): readonly Column<OpenWork>[] {
  return [
    { title: "Session", cell: SessionLink },
    { title: "State", cell: ({ state }) => <Label text={stateWords(state)} /> },
    { title: "Where", cell: where },
    { title: "Who", cell: ({ by }) => by },
    { title: "Agent", cell: ({ agent }) => agent },
    { title: "For", cell: ({ since }) => <Since at={since} />, sortBy: ({ since }) => -since, isNumber: true },
    {
      title: "Stop",
      cell: (work) =>
        work.stop !== null && (
          <button type="button" class="danger" aria-label={`Stop ${work.title}`} onClick={() => stop(work)}>
            Stop
          </button>
        ),
    },
  ];
}

const WAITING: readonly Column<TeamOverview["waiting"][number]>[] = [
  { title: "Session", cell: SessionLink },
  {
    title: "Waiting for",
    cell: ({ kind, about }) => <Label text={`${kind === "approval" ? "Approval: " : "Answer: "}${about}`} />,
  },
  { title: "Where", cell: where },
  { title: "For", cell: ({ since }) => <Since at={since} />, sortBy: ({ since }) => -since, isNumber: true },
];

const PLATFORMS: readonly Column<TeamOverview["platforms"][number]>[] = [
  { title: "Platform", cell: ({ title }) => title },
  { title: "Connection", cell: ({ connected, detail }) => <Label text={`${connected ? "✓" : "✗"} ${detail}`} /> },
  { title: "For", cell: ({ since }) => <Since at={since} />, isNumber: true },
  {
    title: "Last problem",
    cell: ({ lastProblem }) =>
      lastProblem === null ? (
        "none since the start"
      ) : (
        <>
          {lastProblem.detail}, <Since at={lastProblem.at} /> ago
        </>
      ),
  },
];

const FAILED: readonly Column<TeamOverview["failed"][number]>[] = [
  { title: "Session", cell: SessionLink },
  { title: "Result", cell: ({ words }) => <Label text={words} /> },
  { title: "Where", cell: where },
  { title: "When", cell: ({ at }) => new Date(at).toLocaleTimeString(), isNumber: true },
];

function Spending({ own, all }: TeamOverview["spending"]): JSX.Element {
  const rows = [
    ...(all === null ? [] : [{ whose: "Everybody", ...all }]),
    ...(own === null ? [] : [{ whose: "You", ...own }]),
  ];
  return (
    <Part title="Spent">
      <DataTable caption="Spent" columns={SPENT} rows={rows} keyOf={({ whose }) => whose} empty="Nothing was spent." />
      <p class="hint">
        Days and months are in UTC. <a href="#/usage">Usage</a> has the details.
      </p>
    </Part>
  );
}

const SPENT: readonly Column<Spent & { readonly whose: string }>[] = [
  { title: "Who", cell: ({ whose }) => whose },
  { title: "Today (UTC)", cell: ({ dayUsd }) => dollars(dayUsd), isNumber: true },
  {
    title: "Daily budget",
    cell: ({ dayUsd, dayLimitUsd }) =>
      dayLimitUsd === null ? (
        "none"
      ) : (
        <>
          <meter
            min={0}
            max={dayLimitUsd}
            high={dayLimitUsd * 0.8}
            value={dayUsd}
            aria-label="Share of the budget spent"
          />{" "}
          {dollars(dayLimitUsd)}
        </>
      ),
    isNumber: true,
  },
  { title: "This month", cell: ({ monthUsd }) => dollars(monthUsd), isNumber: true },
  {
    title: "Not included",
    cell: ({ unpriced }) => (unpriced === 0 ? "" : `${unpriced} calls without a known price`),
  },
];
