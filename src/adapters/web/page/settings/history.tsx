import type { JSX } from "preact";
import type { OldSettings, SettingChange, SettingsRevision } from "../../sessions/team-settings.ts";
import type { Column } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { Moment } from "../section/moment.tsx";
import { PagedTable } from "../section/paged-table.tsx";
import { get } from "../section/request.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { type PageOf, usePages } from "../section/use-pages.ts";
import { DifferenceTable } from "./difference-table.tsx";
import { nameOf } from "./paths.ts";

const COLUMNS: readonly Column<SettingsRevision>[] = [
  {
    title: "Revision",
    cell: ({ number }) => <a href={`#/settings/history/${number}`}>Revision {number}</a>,
  },
  { title: "What", cell: ({ changed }) => (changed.length === 0 ? "nothing" : changed.map(nameOf).join(", ")) },
  { title: "When", cell: Moment },
  { title: "Who", cell: ({ by }) => by },
];

/** Saved revisions and their authors, newest first. */
export function History(): JSX.Element {
  const found = usePages("", (after, signal) =>
    get<PageOf<SettingsRevision>>("/features/configuration/history", { before: after }, signal),
  );
  return (
    <>
      <p class="section-notes">
        <a href="#/settings">All settings</a>
      </p>
      <PagedTable
        found={found}
        caption="Settings revisions"
        columns={COLUMNS}
        keyOf={({ number }) => String(number)}
        empty="No changes yet."
        more="Older revisions"
      />
    </>
  );
}

interface OldRevisionProps {
  readonly number: string;
  readonly mayChange: boolean;
  readonly restore: (changes: readonly SettingChange[]) => void;
}

/** One revision: its changes, and a button that restores it. */
export function OldRevision({ number, mayChange, restore }: OldRevisionProps): JSX.Element {
  const loaded = useLoaded(number, (signal) =>
    get<OldSettings>("/features/configuration/revision", { number }, signal),
  );
  return (
    <>
      <p class="section-notes">
        <a href="#/settings/history">All revisions</a>
      </p>
      <LoadedView loaded={loaded}>
        {({ by, at, differences, restoring }) => (
          <>
            <p>
              {by} saved revision {number}, <Moment at={at} />.
            </p>
            <DifferenceTable caption={`Changes in revision ${number}`} differences={differences} showsEffect={false} />
            {restoring.length === 0 ? (
              <p class="hint">The settings are the same as in this revision.</p>
            ) : (
              mayChange && (
                <button type="button" class="more" onClick={() => restore(restoring)}>
                  Go back to revision {number}…
                </button>
              )
            )}
          </>
        )}
      </LoadedView>
    </>
  );
}
