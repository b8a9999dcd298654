import type { JSX } from "preact";
import type { SettingDifference } from "../../sessions/team-settings.ts";
import { type Column, DataTable } from "../section/data-table.tsx";
import { nameOf, wordsFor } from "./paths.ts";

const COLUMNS: readonly Column<SettingDifference>[] = [
  { title: "Setting", cell: ({ path }) => <code>{nameOf(path)}</code> },
  { title: "Before", cell: ({ before }) => <del>{wordsFor(before)}</del> },
  { title: "After", cell: ({ after }) => <ins>{wordsFor(after)}</ins> },
];
const EFFECT: Column<SettingDifference> = {
  title: "Takes effect",
  cell: ({ holdsAtOnce }) => (holdsAtOnce ? "at once" : "after a restart"),
};

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
      empty="Nothing is different."
    />
  );
}
