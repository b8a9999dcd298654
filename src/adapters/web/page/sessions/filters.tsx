import type { JSX } from "preact";
import type { SessionQuery } from "../../sessions/team-sessions.ts";
import { ChooseAny } from "../section/choose.tsx";
import { useLoaded } from "../section/use-loaded.ts";
import { fetchChoices } from "./api.ts";
import { STATES } from "./states.ts";

export const EVERYTHING: SessionQuery = {
  text: "",
  person: "",
  channel: "",
  agent: "",
  state: "",
  leastUsd: 0,
  after: "",
};

const COSTS = [0.01, 0.1, 1, 10];

interface FiltersProps {
  readonly query: SessionQuery;
  readonly change: (query: SessionQuery) => void;
}

/** The search fields of the list. */
export function Filters({ query, change }: FiltersProps): JSX.Element {
  const { value: choices } = useLoaded("", fetchChoices);
  const states = STATES.filter(({ state }) => state !== "none");
  return (
    <search class="filters">
      <input
        type="search"
        aria-label="Search sessions"
        placeholder="Search titles and messages"
        value={query.text}
        onInput={({ currentTarget }) => change({ ...query, text: currentTarget.value })}
      />
      <ChooseAny
        label="State"
        value={query.state}
        options={states.map(({ state, word }) => [state, word])}
        choose={(state) => change({ ...query, state: STATES.find((each) => each.state === state)?.state ?? "" })}
      />
      <ChooseAny
        label="Channel"
        value={query.channel}
        options={(choices?.channels ?? []).map(({ id, name }) => [id, name])}
        choose={(channel) => change({ ...query, channel })}
      />
      <ChooseAny
        label="Person"
        value={query.person}
        options={(choices?.people ?? []).map(({ id, name }) => [id, name])}
        choose={(person) => change({ ...query, person })}
      />
      <ChooseAny
        label="Agent"
        value={query.agent}
        options={(choices?.agents ?? []).map((agent) => [agent, agent])}
        choose={(agent) => change({ ...query, agent })}
      />
      <ChooseAny
        label="Cost"
        value={query.leastUsd === 0 ? "" : String(query.leastUsd)}
        options={COSTS.map((usd) => [String(usd), `$${usd < 1 ? usd.toFixed(2) : usd} or more`])}
        choose={(usd) => change({ ...query, leastUsd: Number(usd) })}
      />
      {(choices?.unlinked.length ?? 0) > 0 && (
        <p class="hint">
          To see sessions on {choices?.unlinked.join(" and ")}, link your account there: type <code>/link</code> in a
          thread of this page.
        </p>
      )}
    </search>
  );
}
