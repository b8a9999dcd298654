import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TeamReplica, TeamReplicas } from "../../sessions/team-replicas.ts";
import { Dialog } from "../dialog.tsx";
import { type Column, DataTable } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get, post } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useAction } from "../section/use-action.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { usePolling } from "../section/use-polling.ts";
import type { PageState } from "../state/state.ts";
import { ago } from "../text/relative-time.ts";

/** Processes come and go, and say every half second what they do. Milliseconds. */
const RELOAD_EVERY_MS = 3_000;

/** The processes that share the database, and what each does. */
export function Replicas({ state, now }: SectionProps): JSX.Element {
  const loaded = useLoaded("", (signal) => get<TeamReplicas>("/features/replicas/list", {}, signal));
  const { reload } = loaded;
  usePolling(reload, RELOAD_EVERY_MS);
  return (
    <LoadedView loaded={loaded}>
      {({ rows, mayDrain }) =>
        rows.length === 0 ? (
          <p>
            A single process runs everything. With PostgreSQL and <code>DECKHAND_ENGINE=dbos</code>, several share the
            work.
          </p>
        ) : (
          <DataTable
            caption="Processes"
            columns={[...columnsAt(now), ...(mayDrain ? [drainColumn(state, reload)] : [])]}
            rows={rows}
            keyOf={({ id }) => id}
            empty="None."
          />
        )
      }
    </LoadedView>
  );
}

function columnsAt(now: number): readonly Column<TeamReplica>[] {
  return [
    { title: "Process", cell: NameOf, sortBy: ({ name }) => name },
    { title: "Version", cell: ({ version }) => version, sortBy: ({ version }) => version },
    { title: "Since", cell: ({ startedAt }) => ago(startedAt, now), sortBy: ({ startedAt }) => startedAt },
    { title: "Runs", cell: runsOf, sortBy: ({ running }) => running },
    { title: "Shared tasks", cell: ({ roles }) => (roles.length === 0 ? "nothing" : roles.join(", ")) },
    { title: "State", cell: StateOf },
  ];
}

function NameOf({ name, isOwn }: TeamReplica): JSX.Element {
  return (
    <>
      <code>{name}</code>
      {isOwn && <span class="hint"> serves this page</span>}
    </>
  );
}

function runsOf({ running, waiting }: TeamReplica): string {
  return waiting === 0 ? `${running}` : `${running}, ${waiting} waiting`;
}

function StateOf({ draining, away, differing }: TeamReplica): JSX.Element {
  if (draining) return <>⏳ draining</>;
  const problems = [
    ...(away.length > 0 ? [`not connected: ${away.join(", ")}`] : []),
    ...(differing.length > 0 ? [`different settings: ${differing.join(", ")}`] : []),
  ];
  return <>{problems.length === 0 ? "✓ running" : `⚠ ${problems.join("; ")}`}</>;
}

function drainColumn(state: PageState, reload: () => void): Column<TeamReplica> {
  return { title: "Change", cell: (row) => <Drain replica={row} state={state} reload={reload} /> };
}

interface DrainProps {
  readonly replica: TeamReplica;
  readonly state: PageState;
  readonly reload: () => void;
}

/** Has a process hand over its work and exit, after a confirmation. */
function Drain({ replica: { id, name, draining }, state, reload }: DrainProps): JSX.Element {
  const [isAsked, setIsAsked] = useState(false);
  const { isBusy, problem, begin } = useAction();
  const drain = async (): Promise<void> => {
    await post("/features/replicas/drain", { id }, state);
    setIsAsked(false);
    reload();
  };
  if (draining) return <></>;
  return (
    <>
      <button type="button" aria-label={`Drain ${name}`} onClick={() => setIsAsked(true)}>
        Drain
      </button>
      {isAsked && (
        <Dialog
          title={`Drain ${name}?`}
          words="Drain"
          isDanger
          isSending={isBusy}
          problem={problem}
          close={() => setIsAsked(false)}
          goAhead={() => begin(drain)}
        >
          <p>Its runs continue in the other processes, and this one ends. Nothing is lost.</p>
        </Dialog>
      )}
    </>
  );
}
