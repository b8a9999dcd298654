import type { JSX } from "preact";
import type {
  DefinitionKind,
  DefinitionList as Found,
  ListedDefinition as Listed,
} from "../../sessions/team-definitions.ts";
import { type Column, DataTable } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { hasDraft } from "./use-editing.ts";

interface Words {
  readonly title: string;
  readonly section: string;
  readonly about: string;
  readonly make: string;
  /** Label of the definition's text. */
  readonly label: string;
  /** Name of the fact that lists who may use it. */
  readonly usedBy: string;
}

export const WORDS: Readonly<Record<DefinitionKind, Words>> = {
  agent: {
    title: "Agents",
    section: "agents",
    about:
      "Who answers: each agent's instructions and what it may do. People switch with /agent or @name. Changes saved here apply from the next run.",
    make: "New agent",
    label: "Definition",
    usedBy: "Chosen by",
  },
  skill: {
    title: "Skills",
    section: "skills",
    about:
      "Instructions for recurring work. The model uses one when it fits; people call it with /skill. Changes saved here apply from the next run.",
    make: "New skill",
    label: "SKILL.md",
    usedBy: "Called by",
  },
};

const SOURCES: Readonly<Record<Listed["from"], string>> = {
  shipped: "built in",
  page: "set on this page",
  file: "a file of the operator's",
};

/** Lists the existing agents or skills and their origin. */
export function DefinitionList({ kind }: { readonly kind: DefinitionKind }): JSX.Element {
  const loaded = useLoaded(kind, (signal) => get<Found>("/features/definitions/list", { kind }, signal));
  const { title, about, make, section } = WORDS[kind];
  return (
    <>
      <div class="section-notes">
        <p class="hint">{about}</p>
      </div>
      <LoadedView loaded={loaded}>
        {(found) => (
          <div class="definitions">
            {found.mayEdit && (
              <p>
                <a href={`#/${section}/+`} class="button-link">
                  {make}
                </a>
              </p>
            )}
            {found.problems.length > 0 && (
              <div class="problem" role="alert">
                <p>Not loaded, or only in part:</p>
                <ul>
                  {found.problems.map((problem) => (
                    <li key={problem}>{problem}</li>
                  ))}
                </ul>
              </div>
            )}
            <DataTable
              caption={title}
              columns={columnsFor(kind, found)}
              rows={found.rows}
              keyOf={({ name }) => name}
              empty="None yet."
            />
            {kind === "agent" ? <ChannelAgents found={found} /> : <ChannelSkills found={found} />}
          </div>
        )}
      </LoadedView>
    </>
  );
}

function columnsFor(kind: DefinitionKind, { usual }: Found): readonly Column<Listed>[] {
  const { section, usedBy } = WORDS[kind];
  return [
    {
      title: kind === "agent" ? "Agent" : "Skill",
      sortBy: ({ name }) => name,
      cell: ({ name }) => (
        <>
          <a href={`#/${section}/${encodeURIComponent(name)}`}>{name}</a>
          {kind === "agent" && name === usual && <span class="tag">default</span>}
          {hasDraft(`${kind}/${name}`) && <span class="tag">not saved</span>}
        </>
      ),
    },
    {
      title: "Purpose",
      cell: ({ description }) => (description === "" ? <span class="hint">broken</span> : description),
    },
    { title: usedBy, cell: ({ facts }) => facts.find(({ term }) => term === usedBy)?.words },
    {
      title: "Source",
      sortBy: ({ from }) => SOURCES[from],
      cell: ({ from, place, hasShipped }) => (
        <>
          {SOURCES[from]}
          {from === "page" && hasShipped && ", replaces the built-in one"}
          {place !== null && (
            <>
              : <code>{place}</code>
            </>
          )}
        </>
      ),
    },
  ];
}

type Channel = Found["channels"][number];

const CHANNEL: Column<Channel> = { title: "Channel", cell: ({ key, name }) => <ChannelName id={key} name={name} /> };
const CHANNELS: readonly Column<Channel>[] = [
  CHANNEL,
  { title: "Agent", cell: ({ agent }) => <a href={`#/agents/${encodeURIComponent(agent)}`}>{agent}</a> },
];

function ChannelAgents({ found: { usual, channels } }: { readonly found: Found }): JSX.Element {
  return (
    <section aria-labelledby="channel-agents">
      <h2 id="channel-agents">Who answers where</h2>
      <p class="hint">
        Set by <code>agentDefinition</code> in the settings. All other channels use{" "}
        <a href={`#/agents/${encodeURIComponent(usual)}`}>{usual}</a>; in a thread, /agent switches.
      </p>
      {channels.length > 0 && (
        <DataTable caption="Agents by channel" columns={CHANNELS} rows={channels} keyOf={({ key }) => key} empty="" />
      )}
    </section>
  );
}

interface OwnSkill {
  readonly channel: Channel;
  readonly skill: Channel["skills"][number];
}

const OWN_SKILLS: readonly Column<OwnSkill>[] = [
  { title: "Skill", cell: ({ skill }) => skill.name },
  { title: "Purpose", cell: ({ skill }) => skill.description },
  { title: "Channel", cell: ({ channel }) => <ChannelName id={channel.key} name={channel.name} /> },
  { title: "File", cell: ({ skill }) => <code>{skill.source}</code> },
];

function ChannelSkills({ found: { channels } }: { readonly found: Found }): JSX.Element {
  const rows = channels.flatMap((channel) => channel.skills.map((skill) => ({ channel, skill })));
  return (
    <section aria-labelledby="channel-skills">
      <h2 id="channel-skills">In single channels</h2>
      <p class="hint">
        The skills above work in all channels. Skills in a channel's own directory, once they are trusted, replace those
        of the same name, and are edited there.
      </p>
      {rows.length > 0 && (
        <DataTable
          caption="Skills by channel"
          columns={OWN_SKILLS}
          rows={rows}
          keyOf={({ channel, skill }) => `${channel.key} ${skill.name}`}
          empty=""
        />
      )}
    </section>
  );
}

/** A channel's name, and its name in the settings if that differs. */
export function ChannelName({ id, name }: { readonly id: string; readonly name: string }): JSX.Element {
  return (
    <>
      {name}
      {name !== id && (
        <>
          {" "}
          <code>{id}</code>
        </>
      )}
    </>
  );
}
