import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { figure } from "../../../../core/text/dollars.ts";
import type { TeamMemories } from "../../sessions/team-memory.ts";
import type { SessionChoices } from "../../sessions/team-sessions.ts";
import { FormDialog } from "../form-dialog.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { More } from "../section/paged-table.tsx";
import { get, nullIfNotFound } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { type Commands, useCommand } from "../section/use-command.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { usePages } from "../section/use-pages.ts";
import { fetchChoices } from "../sessions/api.ts";
import { decoded } from "../state/address.ts";
import type { PageState } from "../state/state.ts";
import { Markdown } from "../text/markdown-text.tsx";
import { MemoryTable } from "./memory-table.tsx";

interface Found extends TeamMemories {
  /** True if memory is switched off. */
  readonly isOff?: boolean;
}

const OFF: Found = { rows: [], next: null, count: 0, isPaused: false, mayAct: false, isOff: true };

/** What is remembered, channel by channel: as whoever looks may read it there. */
export function Memory({ state, rest, go }: SectionProps): JSX.Element {
  const choices = useLoaded("", fetchChoices);
  if (choices.value === null) return <LoadedView loaded={choices}>{() => null}</LoadedView>;
  return <OfChannels channels={choices.value.channels} state={state} rest={rest} go={go} />;
}

interface OfChannelsProps extends Pick<SectionProps, "state" | "rest" | "go"> {
  readonly channels: SessionChoices["channels"];
}

function OfChannels({ channels: known, state, rest, go }: OfChannelsProps): JSX.Element {
  const channelId = rest === "" ? (known[0]?.id ?? "") : decoded(rest);
  if (channelId === "")
    return (
      <p class="hint centred">Nothing to remember yet: nobody has asked me anything in a channel that you can see.</p>
    );
  const isNamed = known.some(({ id }) => id === channelId);
  const channels = isNamed ? known : [...known, { id: channelId, name: channelId }];
  return (
    <>
      <div class="section-notes">
        <label>
          Channel{" "}
          <select value={channelId} onChange={({ currentTarget }) => go(encodeURIComponent(currentTarget.value))}>
            {channels.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <InChannel key={channelId} channelId={channelId} state={state} />
    </>
  );
}

interface InChannelProps {
  readonly channelId: string;
  readonly state: PageState;
}

function InChannel({ channelId, state }: InChannelProps): JSX.Element {
  const [query, setQuery] = useState("");
  const [changes, setChanges] = useState(0);
  const [header, setHeader] = useState(OFF);
  const found = usePages(`${changes} ${query}`, async (before, signal) => {
    const page = await memories({ channelId, query, before }, signal);
    setHeader(page);
    return page;
  });
  const commands = useCommand<string>(state, {
    path: "/features/console/command",
    bodyOf: (args) => ({ channelId, name: "memory", args }),
    done: () => setChanges((before) => before + 1),
  });
  const { count, isPaused, mayAct, isOff } = header;
  return (
    <>
      <SearchForm search={setQuery} />
      <LoadedView loaded={found}>
        {({ rows, next }) =>
          isOff === true ? (
            <p class="hint centred">
              Memory is off. An operator turns it on in the settings: <code>"memory": true</code>.
            </p>
          ) : (
            <>
              <p class="hint">
                {countOf(count, rows.length)}
                {isPaused && "; memory is off in this channel, so nothing is recalled or remembered"}.
              </p>
              {mayAct && <ChannelButtons commands={commands} isPaused={isPaused} />}
              <div role="status">{commands.words !== null && <Markdown text={commands.words} />}</div>
              <MemoryTable rows={rows} run={commands.run} isBusy={commands.isBusy} isSearch={query !== ""} />
              <More next={next} words="Older memories" ask={found.more} />
            </>
          )
        }
      </LoadedView>
      {commands.form !== null && <FormDialog open={commands.form} controller={commands} />}
    </>
  );
}

function countOf(count: number | null, shown: number): string {
  if (count === null && shown === 0) return "No memories match this search";
  if (count === null)
    return shown === 1 ? "The best match for this search" : `The ${shown} best matches for this search`;
  const memories = count === 0 ? "No memories" : count === 1 ? "1 memory" : `${figure(count)} memories`;
  return `${memories} you can read here`;
}

interface Asked extends Pick<InChannelProps, "channelId"> {
  readonly query: string;
  readonly before: string;
}

/** Loads memories. If memory is off, its route does not exist. */
async function memories({ channelId, query, before }: Asked, signal?: AbortSignal): Promise<Found> {
  return (
    (await nullIfNotFound(get<Found>("/features/memory/list", { channel: channelId, query, before }, signal))) ?? OFF
  );
}

function SearchForm({ search }: { readonly search: (query: string) => void }): JSX.Element {
  const [typed, setTyped] = useState("");
  return (
    <search class="filters">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          search(typed);
        }}
      >
        <input
          type="search"
          aria-label="Search memories"
          placeholder="Search memories"
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            if (currentTarget.value === "") search("");
          }}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

interface ChannelButtonsProps {
  readonly commands: Commands<string>;
  readonly isPaused: boolean;
}

function ChannelButtons({ commands, isPaused }: ChannelButtonsProps): JSX.Element {
  return (
    <p class="chosen">
      <button type="button" aria-disabled={commands.isBusy} onClick={() => commands.run("add")}>
        Remember something
      </button>
      <button type="button" aria-disabled={commands.isBusy} onClick={() => commands.run(isPaused ? "on" : "off")}>
        {isPaused ? "Turn memory on here" : "Turn memory off here"}
      </button>
    </p>
  );
}
