import { Fragment, type JSX } from "preact";
import type { SettingDifference } from "../../sessions/team-settings.ts";
import { type Column, DataTable } from "../section/data-table.tsx";
import { wordsFor } from "./paths.ts";

const COLUMNS: readonly Column<SettingDifference>[] = [
  { title: "Setting", cell: ({ path }) => <Name path={path} /> },
  { title: "Before", cell: ({ before }) => (before === undefined ? <NotSet /> : <del>{wordsFor(before)}</del>) },
  { title: "After", cell: ({ after }) => (after === undefined ? <NotSet /> : <ins>{wordsFor(after)}</ins>) },
];
const EFFECT: Column<SettingDifference> = {
  title: "Takes effect",
  cell: ({ holdsAtOnce }) => (holdsAtOnce ? "at once" : "after a restart"),
};

/** A setting's name, which can break at its dots. */
function Name({ path }: Pick<SettingDifference, "path">): JSX.Element {
  return (
    <code>
      {path.map((part, index) => (
        <Fragment key={`${index} ${part}`}>
          {index > 0 && "."}
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </code>
  );
}

function NotSet(): JSX.Element {
  return <span class="hint">not set</span>;
}

interface DifferenceTableProps {
  readonly caption: string;
  readonly differences: readonly SettingDifference[];
  readonly showsEffect: boolean;
}

/** Before and after, setting by setting. */
export function DifferenceTable({ caption, differences, showsEffect }: DifferenceTableProps): JSX.Element {
  return (
    <DataTable
      caption={caption}
      columns={showsEffect ? [...COLUMNS, EFFECT] : COLUMNS}
      rows={differences}
      keyOf={({ path }) => JSON.stringify(path)}
      empty="No differences."
    />
  );
}
