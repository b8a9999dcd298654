import type { JSX } from "preact";
import { dollars, figure } from "../../../../core/text/dollars.ts";
import { count } from "../../../render/progress/figures.ts";
import type { TeamUsage, UsageFigures, UsageGroup, UsageRow } from "../../sessions/team-usage.ts";
import { Choose } from "../section/choose.tsx";
import { type Column, DataTable } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { UsageChart } from "./chart.tsx";

const GROUPS: readonly { readonly by: UsageGroup; readonly title: string }[] = [
  { by: "day", title: "Day" },
  { by: "model", title: "Model" },
  { by: "channel", title: "Channel" },
  { by: "person", title: "Person" },
  { by: "job", title: "Job" },
];
const SPANS = [1, 7, 31, 92];

/** The query in the address: grouping, number of days, and filters. */
interface Asked {
  readonly by: UsageGroup;
  readonly days: number;
  readonly chosen: ReadonlyMap<UsageGroup, string>;
}

/** Costs by a chosen grouping; each row links to its own breakdown. */
export function Usage({ rest, go }: SectionProps): JSX.Element {
  const asked = askedIn(rest);
  const { by, days, chosen } = asked;
  const query = { by, days, ...Object.fromEntries(chosen) };
  const loaded = useLoaded(JSON.stringify(query), (signal) => get<TeamUsage>("/features/console/usage", query, signal));
  const open = (next: Partial<Asked>): void => go(addressOf({ ...asked, ...next }));
  return (
    <>
      <Choices asked={asked} open={open} />
      <LoadedView loaded={loaded}>
        {(usage) => (
          <div class="overview">
            <Chosen usage={usage} asked={asked} open={open} />
            <Total usage={usage} isOfJobs={by === "job" || chosen.has("job")} />
            {usage.total.costUsd > 0 && <UsageChart usage={usage} />}
            {by === "day" ? <Days usage={usage} /> : <Rows usage={usage} asked={asked} />}
          </div>
        )}
      </LoadedView>
    </>
  );
}

interface ChoicesProps {
  readonly asked: Asked;
  readonly open: (next: Partial<Asked>) => void;
}

function Choices({ asked: { by, days, chosen }, open }: ChoicesProps): JSX.Element {
  const groups = chosen.has("job") ? GROUPS.filter((group) => group.by === "day") : GROUPS;
  return (
    <search class="filters">
      <Choose
        label="Group by"
        value={by}
        options={groups.map((group) => [group.by, `By ${group.title.toLowerCase()}`])}
        choose={(value) => open({ by: groupOf(value) })}
      />
      <Choose
        label="Days"
        value={`${days}`}
        options={SPANS.map((span) => [`${span}`, span === 1 ? "Today (UTC)" : `${span} days`])}
        choose={(value) => open({ days: Number(value) })}
      />
    </search>
  );
}

/** The active filters, each with a button that removes it. */
function Chosen({ usage, asked, open }: ChoicesProps & { readonly usage: TeamUsage }): JSX.Element | null {
  if (usage.chosen.length === 0) return null;
  return (
    <ul class="chosen" aria-label="Only">
      {usage.chosen.map(({ by, label }) => (
        <li key={by}>
          <button
            type="button"
            onClick={() => open({ chosen: new Map([...asked.chosen].filter(([group]) => group !== by)) })}
          >
            <span class="hint">{titleOf(by)}</span> {label} <span aria-hidden="true">×</span>
            <span class="hidden">, show all again</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface TotalProps {
  readonly usage: TeamUsage;
  readonly isOfJobs: boolean;
}

function Total({ usage: { total, isAll }, isOfJobs }: TotalProps): JSX.Element {
  const { costUsd, tokens, calls, unpriced } = total;
  return (
    <p>
      <strong>{dollars(costUsd)}</strong> {isAll ? "in total" : "in channels that you can see"}
      {tokens !== null && ` · ${figure(tokens)} tokens`} · {count(calls, isOfJobs ? "job run" : "model call")}
      {unpriced > 0 && <span class="hint"> · not in the dollars: {count(unpriced, "call")} without a known price</span>}
    </p>
  );
}

interface Day {
  readonly day: string;
  readonly costUsd: number;
}

function Days({ usage: { days, perDay } }: { readonly usage: TeamUsage }): JSX.Element {
  const rows = days.map((day, index) => ({ day, costUsd: perDay[index] ?? 0 })).toReversed();
  return <DataTable caption="Spending by day" columns={DAYS} rows={rows} keyOf={({ day }) => day} empty="" />;
}

const DAYS: readonly Column<Day>[] = [
  { title: "Day (UTC)", cell: ({ day }) => <time dateTime={day}>{day}</time>, sortBy: ({ day }) => day },
  { title: "Cost", cell: ({ costUsd }) => dollars(costUsd), sortBy: ({ costUsd }) => costUsd, isNumber: true },
];

function Rows({ usage, asked }: { readonly usage: TeamUsage; readonly asked: Asked }): JSX.Element {
  return (
    <DataTable
      caption={`Spending by ${titleOf(asked.by).toLowerCase()}`}
      columns={columnsFor(asked)}
      rows={usage.rows}
      keyOf={({ key, label }) => key ?? label}
      empty="Nothing was spent."
    />
  );
}

function columnsFor(asked: Asked): readonly Column<UsageRow>[] {
  return [
    {
      title: titleOf(asked.by),
      cell: ({ key, label }) => (key === null ? label : <a href={`#/usage/${addressOf(into(asked, key))}`}>{label}</a>),
      sortBy: ({ label }) => label,
    },
    { title: "Cost", cell: ({ costUsd }) => dollars(costUsd), sortBy: ({ costUsd }) => costUsd, isNumber: true },
    ...(asked.by === "job" ? [] : [TOKENS]),
    {
      title: asked.by === "job" ? "Runs" : "Calls",
      cell: ({ calls }) => figure(calls),
      sortBy: ({ calls }) => calls,
      isNumber: true,
    },
  ];
}

const TOKENS: Column<UsageRow> = {
  title: "Tokens",
  cell: ({ tokens }: UsageFigures) => figure(tokens ?? 0),
  sortBy: ({ tokens }: UsageFigures) => tokens ?? 0,
  isNumber: true,
};

/** Returns the query for a row's breakdown, grouped by the next grouping that is not filtered yet. */
function into({ by, days, chosen }: Asked, key: string): Asked {
  const next = new Map([...chosen, [by, key] as const]);
  const group = GROUPS.find((each) => each.by !== "day" && each.by !== "job" && !next.has(each.by));
  return { days, chosen: next, by: by === "job" ? "day" : (group?.by ?? "day") };
}

function askedIn(rest: string): Asked {
  const params = new URLSearchParams(rest);
  const days = Number(params.get("days"));
  const chosen = GROUPS.flatMap(({ by }) => {
    const key = params.get(by);
    return key === null || key === "" ? [] : [[by, key] as const];
  });
  return { by: groupOf(params.get("by") ?? ""), days: SPANS.includes(days) ? days : 7, chosen: new Map(chosen) };
}

function addressOf({ by, days, chosen }: Asked): string {
  return new URLSearchParams([["by", by], ["days", String(days)], ...chosen]).toString();
}

function groupOf(text: string): UsageGroup {
  return GROUPS.find(({ by }) => by === text)?.by ?? "day";
}

function titleOf(group: UsageGroup): string {
  return GROUPS.find(({ by }) => by === group)?.title ?? group;
}
