import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Kind, RevisionRow } from "../../sessions/team-definitions.ts";
import { Problem } from "../problem.tsx";
import type { Column } from "../section/data-table.tsx";
import { Moment } from "../section/moment.tsx";
import { PagedTable } from "../section/paged-table.tsx";
import { get } from "../section/request.ts";
import { useAction } from "../section/use-action.ts";
import { type PageOf, usePages } from "../section/use-pages.ts";
import { ChangeDialog } from "./change-dialog.tsx";

interface HistoryProps {
  readonly kind: Kind;
  readonly name: string;
  /** The number of the newest revision. */
  readonly number: number;
  /** The text in effect, to compare with. */
  readonly now: string;
  /** Puts an older text into the editor; null if the person may only read. */
  readonly use: ((text: string) => void) | null;
}

/** All revisions, newest first; each can be read and put back into the editor. */
export function History({ kind, name, number, now, use }: HistoryProps): JSX.Element {
  const { opened, problem, open, close } = useOld(kind, name);
  const found = usePages(`${kind} ${name} ${number}`, (before, signal) =>
    get<PageOf<RevisionRow>>("/features/definitions/history", { kind, name, before }, signal),
  );
  return (
    <section aria-labelledby="history-title">
      <h3 id="history-title">History</h3>
      <Problem text={problem} />
      <PagedTable
        found={found}
        caption="Revisions"
        columns={columnsFor(open)}
        keyOf={(row) => `${row.number}`}
        empty="No changes yet."
        more="Older revisions"
      />
      {opened !== null && (
        <ChangeDialog
          title={`Changes back to revision ${opened.number}`}
          before={now}
          after={opened.text}
          words={use === null ? "Close" : "Open in the editor"}
          isSending={false}
          goAhead={() => {
            use?.(opened.text);
            close();
          }}
          close={close}
        />
      )}
    </section>
  );
}

interface Old {
  readonly number: number;
  readonly text: string;
}

/** Loads the revision that the person opened. */
function useOld(kind: Kind, name: string) {
  const [opened, setOpened] = useState<Old | null>(null);
  const { problem, begin } = useAction();
  const open = (number: number): void =>
    begin(async () => {
      const { text } = await get<{ text: string }>("/features/definitions/revision", { kind, name, number });
      setOpened({ number, text });
    });
  return { opened, problem, open, close: () => setOpened(null) };
}

function columnsFor(open: (number: number) => void): readonly Column<RevisionRow>[] {
  return [
    { title: "Revision", cell: ({ number }) => number },
    { title: "Who", cell: ({ by }) => by },
    { title: "When", cell: Moment },
    {
      title: "What",
      cell: ({ number, isTakenBack }) =>
        isTakenBack ? (
          "removed"
        ) : (
          <button type="button" aria-label={`Compare revision ${number}`} onClick={() => open(number)}>
            Compare
          </button>
        ),
    },
  ];
}
