import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type AuditRow, actWords } from "../../sessions/team-audit.ts";
import { ChooseAny } from "../section/choose.tsx";
import type { Column } from "../section/data-table.tsx";
import { Moment } from "../section/moment.tsx";
import { PagedTable } from "../section/paged-table.tsx";
import { get } from "../section/request.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { type PageOf, usePages } from "../section/use-pages.ts";

interface Choices {
  readonly people: readonly string[];
  readonly acts: readonly string[];
}

interface Search {
  readonly by: string;
  readonly act: string;
  /** A day in the format of a date field: `2026-11-23`; empty for none. */
  readonly from: string;
  readonly to: string;
}

const EVERYTHING: Search = { by: "", act: "", from: "", to: "" };

const COLUMNS: readonly Column<AuditRow>[] = [
  { title: "When", cell: Moment },
  { title: "Who", cell: ({ by }) => (by === "" ? <span class="hint">unknown</span> : by) },
  { title: "What", cell: ({ act }) => <span title={act}>{actWords(act)}</span> },
  { title: "About", cell: About },
  { title: "Details", cell: ({ details }) => details },
];

/** The audit log, newest entries first. */
export function Audit(): JSX.Element {
  const [search, setSearch] = useState(EVERYTHING);
  const choices = useLoaded("", (signal) => get<Choices>("/features/audit/choices", {}, signal));
  const found = usePages(JSON.stringify(search), (after, signal) => entries(search, after, signal));
  return (
    <>
      <SearchForm search={search} choices={choices.value} change={setSearch} />
      <PagedTable
        found={found}
        caption="Audit log"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty="No entries match this search."
        more="Older entries"
      />
    </>
  );
}

function About({ about, sessionId }: AuditRow): JSX.Element {
  return sessionId === null ? <>{about}</> : <a href={`#/sessions/${encodeURIComponent(sessionId)}`}>{about}</a>;
}

function entries({ by, act, from, to }: Search, after: string, signal?: AbortSignal): Promise<PageOf<AuditRow>> {
  const query = { by, act, since: startOf(from), until: startOf(to, 1), after };
  return get("/features/audit/list", query, signal);
}

/** Start of the day `later` days after this one, in local time and across clock changes; null for no day. */
function startOf(day: string, later = 0): number | null {
  const date = new Date(`${day}T00:00`);
  const at = new Date(date.getFullYear(), date.getMonth(), date.getDate() + later).getTime();
  return Number.isNaN(at) ? null : at;
}

interface SearchFormProps {
  readonly search: Search;
  readonly choices: Choices | null;
  readonly change: (search: Search) => void;
}

function SearchForm({ search, choices, change }: SearchFormProps): JSX.Element {
  const day = (name: "from" | "to", label: string): JSX.Element => (
    <label>
      {label}{" "}
      <input
        type="date"
        value={search[name]}
        onChange={({ currentTarget }) => change({ ...search, [name]: currentTarget.value })}
      />
    </label>
  );
  const choice = (name: "by" | "act", label: string, options: readonly (readonly [string, string])[]): JSX.Element => (
    <ChooseAny
      label={label}
      value={search[name]}
      options={options.toSorted(([, one], [, other]) => one.localeCompare(other))}
      choose={(value) => change({ ...search, [name]: value })}
    />
  );
  return (
    <search class="filters">
      {choice(
        "by",
        "Person",
        (choices?.people ?? []).map((name) => [name, name]),
      )}
      {choice(
        "act",
        "What",
        (choices?.acts ?? []).map((act) => [act, actWords(act)]),
      )}
      {day("from", "From")}
      {day("to", "To")}
    </search>
  );
}
