import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { figure } from "../../../../core/text/dollars.ts";
import type {
  EffectiveInstructions,
  InstructionChannel,
  InstructionChannels,
} from "../../sessions/team-definitions.ts";
import { type Column, DataTable } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { decoded } from "../state/address.ts";
import type { PageState } from "../state/state.ts";
import { Markdown } from "../text/markdown-text.tsx";
import { ChannelName } from "./definition-list.tsx";
import { Editor } from "./editor.tsx";
import { History } from "./history.tsx";
import { Preview } from "./preview.tsx";
import { TakeBack } from "./take-back.tsx";
import { useEditing } from "./use-editing.ts";

/** Stands for all channels in the address. */
const ALL = "*";

/** Instructions for agents in all channels, or in the one that the address names. */
export function Instructions({ state, rest, go }: SectionProps): JSX.Element {
  const [told, setTold] = useState({ at: "", words: "" });
  if (rest === "") return <ChannelList go={go} />;
  const channel = rest === ALL ? "" : decoded(rest);
  return (
    <>
      <div class="section-notes">
        <p>
          <a href="#/instructions">All channels</a>
        </p>
        <p role="status">{told.at === rest ? told.words : ""}</p>
      </div>
      <ChannelInstructions
        key={channel}
        channel={channel}
        state={state}
        say={(words) => setTold({ at: rest, words })}
      />
    </>
  );
}

const COLUMNS: readonly Column<InstructionChannel>[] = [
  {
    title: "Channel",
    sortBy: ({ name }) => name,
    cell: ({ key, name }) => (
      <a href={`#/instructions/${encodeURIComponent(key)}`}>
        <ChannelName id={key} name={name} />
      </a>
    ),
  },
  { title: "Agent", cell: ({ agent }) => <a href={`#/agents/${encodeURIComponent(agent)}`}>{agent}</a> },
  { title: "Set on this page", cell: ({ isSet }) => (isSet ? "yes" : <span class="hint">no</span>) },
];

function ChannelList({ go }: Pick<SectionProps, "go">): JSX.Element {
  const loaded = useLoaded("", (signal) => get<InstructionChannels>("/features/definitions/channels", {}, signal));
  return (
    <>
      <div class="section-notes">
        <p class="hint">
          What agents are told in each channel: the instructions set here, and the instruction files (AGENTS.md) in the
          channel's directory.
        </p>
      </div>
      <LoadedView loaded={loaded}>
        {({ rows, isSetForAll, mayEdit }) => (
          <div class="definitions">
            <p>
              <a href={`#/instructions/${ALL}`}>Instructions for all channels</a>
              {isSetForAll ? <span class="tag">set</span> : <span class="hint"> none yet</span>}
            </p>
            <DataTable
              caption="Channels"
              columns={COLUMNS}
              rows={rows}
              keyOf={({ key }) => key}
              empty="No channels yet. One is listed once somebody writes there or it has settings of its own."
            />
            {mayEdit && <OtherChannel go={go} />}
          </div>
        )}
      </LoadedView>
    </>
  );
}

/** A channel may have instructions before anybody has written there. */
function OtherChannel({ go }: Pick<SectionProps, "go">): JSX.Element {
  return (
    <form
      class="field other-channel"
      onSubmit={(event) => {
        event.preventDefault();
        const key = new FormData(event.currentTarget).get("channel");
        if (typeof key === "string" && key.trim() !== "") go(encodeURIComponent(key.trim()));
      }}
    >
      <label for="other-channel">Another channel, by its ID</label>
      <input id="other-channel" name="channel" type="text" autocomplete="off" placeholder="slack:C0123ABCD" />
      <button type="submit">Open</button>
    </form>
  );
}

interface ChannelProps {
  readonly channel: string;
  readonly state: PageState;
  readonly say: (words: string) => void;
}

function ChannelInstructions({ channel, state, say }: ChannelProps): JSX.Element {
  const loaded = useLoaded(channel, (signal) =>
    get<EffectiveInstructions>("/features/definitions/told", { channel }, signal),
  );
  return (
    <LoadedView loaded={loaded}>
      {(instructions) => (
        <article class="definitions" aria-labelledby="definition-title">
          <h2 id="definition-title">{channel === "" ? "All channels" : channel}</h2>
          {channel !== "" && (
            <p class="hint">
              <a href={`#/agents/${encodeURIComponent(instructions.agent)}`}>{instructions.agent}</a> answers here, as
              set in the settings.
            </p>
          )}
          <h3>On this page</h3>
          <p class="hint">
            Every run in {channel === "" ? "every channel" : "the channel"} is told these instructions, from the next
            run.
            {channel !== "" && " They take precedence over those in files."}
          </p>
          {instructions.mayEdit ? (
            <Editable channel={channel} instructions={instructions} state={state} say={say} reload={loaded.reload} />
          ) : (
            <Preview text={instructions.text} />
          )}
          {channel !== "" && <Files instructions={instructions} />}
        </article>
      )}
    </LoadedView>
  );
}

interface EditableProps extends ChannelProps {
  readonly instructions: EffectiveInstructions;
  readonly reload: () => void;
}

function Editable({ channel, instructions, state, say, reload }: EditableProps): JSX.Element {
  const { text, number, isSet } = instructions;
  const edited = { kind: "instructions", name: channel, text, number, isNew: false } as const;
  const editing = useEditing({ ...edited, draft: `instructions/${channel}` }, state);
  return (
    <>
      <Editor
        editing={editing}
        label="Instructions"
        what={channel === "" ? "instructions for all channels" : `instructions for ${channel}`}
        saved={(now) => {
          say(`✓ Saved as revision ${now}. It applies from the next run.`);
          reload();
        }}
      />
      {isSet && (
        <TakeBack
          title="Remove these instructions?"
          words="Remove"
          editing={editing}
          after=""
          done={() => {
            say("✓ Removed. Agents are told nothing from this page.");
            reload();
          }}
        />
      )}
      <History kind="instructions" name={channel} number={number} now={editing.before} use={editing.write} />
    </>
  );
}

/** Instructions that the channel's runs receive, in order, and files that wait for permission. */
function Files({
  instructions: { sandboxRoot, files },
}: {
  readonly instructions: EffectiveInstructions;
}): JSX.Element {
  return (
    <section aria-labelledby="files-title">
      <h3 id="files-title">Everything its runs are told</h3>
      <p class="hint">
        {sandboxRoot === null ? (
          "The channel has no directory yet; its first run creates it."
        ) : (
          <>
            In this order; later ones take precedence. The channel's directory is <code>{sandboxRoot}</code>; edit its
            files there.
          </>
        )}
      </p>
      {files.length === 0 && <p class="hint">Nothing beyond what every agent is told.</p>}
      {files.map(({ source, text, isFollowed, bytes }) => (
        <details key={source} class="file-change">
          <summary>
            <code>{source}</code> <span class="hint">{figure(bytes)} bytes</span>
            {!isFollowed && <span class="tag">waiting until somebody in the channel allows it</span>}
          </summary>
          <Markdown text={text} />
        </details>
      ))}
    </section>
  );
}
