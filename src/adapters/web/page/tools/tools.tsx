import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TeamTool, TeamToolDetails, TeamTools } from "../../sessions/team-tools.ts";
import { ChooseAny } from "../section/choose.tsx";
import { type Column, DataTable } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useLoaded } from "../section/use-loaded.ts";

/** Every tool and what it may do, or the one that the address names. */
export function Tools({ rest }: SectionProps): JSX.Element {
  return rest === "" ? <ToolList /> : <ToolPage name={rest} />;
}

interface Search {
  readonly words: string;
  readonly source: string;
  readonly permission: string;
}

const ANY: Search = { words: "", source: "", permission: "" };

function ToolList(): JSX.Element {
  const loaded = useLoaded("", (signal) => get<TeamTools>("/features/tools/list", {}, signal));
  const [search, setSearch] = useState(ANY);
  return (
    <>
      {loaded.value !== null && <SearchForm tools={loaded.value.rows} search={search} change={setSearch} />}
      <LoadedView loaded={loaded}>
        {({ rows, problems }) => (
          <>
            {problems.map((problem) => (
              <p key={problem} class="hint">
                ⚠ {problem}
              </p>
            ))}
            <DataTable
              caption="Tools"
              columns={COLUMNS}
              rows={rows.filter((tool) => fits(tool, search))}
              keyOf={({ name }) => name}
              empty="No tools match this search."
            />
          </>
        )}
      </LoadedView>
    </>
  );
}

function fits({ name, source, permission }: TeamTool, search: Search): boolean {
  const words = search.words.toLowerCase().trim();
  const isNamed = name.toLowerCase().includes(words) || source.toLowerCase().includes(words);
  return (
    isNamed &&
    (search.source === "" || search.source === source) &&
    (search.permission === "" || search.permission === permission)
  );
}

interface SearchFormProps {
  readonly tools: readonly TeamTool[];
  readonly search: Search;
  readonly change: (search: Search) => void;
}

function SearchForm({ tools, search, change }: SearchFormProps): JSX.Element {
  const choice = (key: "source" | "permission", label: string): JSX.Element => (
    <ChooseAny
      label={label}
      value={search[key]}
      options={[...new Set(tools.map((tool) => tool[key]))].sort().map((value) => [value, value])}
      choose={(value) => change({ ...search, [key]: value })}
    />
  );
  return (
    <search class="filters">
      <input
        type="search"
        aria-label="Search tools"
        placeholder="Search tools"
        value={search.words}
        onInput={({ currentTarget }) => change({ ...search, words: currentTarget.value })}
      />
      {choice("source", "From")}
      {choice("permission", "Permission")}
    </search>
  );
}

const COLUMNS: readonly Column<TeamTool>[] = [
  {
    title: "Tool",
    cell: ({ name }) => (
      <a href={`#/tools/${encodeURIComponent(name)}`}>
        <code>{name}</code>
      </a>
    ),
    sortBy: ({ name }) => name,
  },
  { title: "From", cell: ({ source }) => source, sortBy: ({ source }) => source, isShort: true },
  { title: "Permission", cell: PermissionOf, sortBy: ({ permission }) => permission },
  { title: "Reach", cell: ({ reach, sends }) => reachOf(reach, sends) },
  { title: "Agents", cell: ({ agents }) => (agents.length === 0 ? "none" : agents.join(", ")) },
];

function PermissionOf({ permission, asks }: TeamTool): JSX.Element {
  return (
    <>
      {permission}
      {asks && <span class="hint"> asks first</span>}
    </>
  );
}

function reachOf(reach: string, sends: boolean): string {
  return [reach, ...(sends ? ["sends data out"] : [])].filter((part) => part !== "").join(" · ");
}

const AFTER_CRASH: Readonly<Record<TeamTool["afterCrash"], string>> = {
  replay: "A call cut off by a restart is made again.",
  reconcile: "A call cut off by a restart is checked, then finished or reported.",
  never: "A call cut off by a restart is not made again; the model is told.",
};

function ToolPage({ name }: { readonly name: string }): JSX.Element {
  const loaded = useLoaded(name, (signal) => get<TeamToolDetails>("/features/tools/tool", { name }, signal));
  return (
    <>
      <p class="section-notes">
        <a href="#/tools">All tools</a>
      </p>
      <LoadedView loaded={loaded}>
        {(tool) => (
          <article class="job-details">
            <h2>
              <code>{tool.name}</code>
            </h2>
            <p class="hint">{tool.source}</p>
            <ul>
              <li>
                Permission <strong>{tool.permission}</strong>
                {tool.asks ? ": people are asked before each call, except where they have allowed it for longer." : "."}
              </li>
              {tool.reach !== "" && <li>Reach: {tool.reach}.</li>}
              <li>
                {tool.sends
                  ? "Its calls send data out, and are judged by whose text they contain."
                  : "Its calls send no data out."}
              </li>
              <li>
                {tool.isOffered
                  ? "Its definition is part of every model request."
                  : "Models find it with tool_search when they need it."}
              </li>
              <li>
                {tool.isParallel
                  ? "Calls run in parallel with others of the same turn."
                  : "Calls run one after the other."}
              </li>
              <li>{AFTER_CRASH[tool.afterCrash]}</li>
              <li>Agents: {tool.agents.length === 0 ? "none" : tool.agents.join(", ")}.</li>
            </ul>
            <section aria-label="Description for models">
              <h3>Description for models</h3>
              <p class="plain-text">{tool.description}</p>
            </section>
            <section aria-label="Arguments">
              <h3>Arguments</h3>
              {/* Long ones scroll by themselves, also by keyboard. */}
              <pre tabIndex={0}>{tool.schema}</pre>
            </section>
          </article>
        )}
      </LoadedView>
    </>
  );
}
