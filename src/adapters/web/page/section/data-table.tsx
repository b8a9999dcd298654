import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** The sort key of a row; absent if the column is not sortable. */
  readonly sortBy?: (row: T) => string | number;
  /** Aligns figures below each other. */
  readonly isNumber?: boolean;
  /** Keeps short text on one line. */
  readonly isShort?: boolean;
}

export interface DataTableProps<T> {
  /** What the table holds, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Text shown if there are no rows. */
  readonly empty: string;
}

interface Order {
  readonly title: string;
  readonly isUp: boolean;
}

/** A table in the given order, or sorted by the pressed column head. Cells of the first column are row headers. */
export function DataTable<T>({ caption, columns, rows, keyOf, empty }: DataTableProps<T>): JSX.Element {
  const [order, setOrder] = useState<Order | null>(null);
  if (rows.length === 0) return <p class="hint centred">{empty}</p>;
  const sortBy = columns.find(({ title }) => title === order?.title)?.sortBy;
  const sorted = sortBy === undefined ? rows : rows.toSorted((a, b) => compare(sortBy(a), sortBy(b), order));
  return (
    // Wide tables scroll by themselves, also by keyboard.
    <section class="table-scroller" tabIndex={0} aria-label={caption}>
      <table class="data">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.title} column={column} order={order} setOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, ...look }, index) =>
                index === 0 ? (
                  <th key={title} scope="row" class={classOf(look)}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} class={classOf(look)} data-title={title}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface HeadProps<T> {
  readonly column: Column<T>;
  readonly order: Order | null;
  readonly setOrder: (order: Order) => void;
}

function Head<T>({ column: { title, sortBy, ...look }, order, setOrder }: HeadProps<T>): JSX.Element {
  const isUp = order?.title === title ? order.isUp : null;
  const sorted = isUp === null ? "none" : isUp ? "ascending" : "descending";
  return (
    <th scope="col" class={classOf(look)} aria-sort={sortBy === undefined ? undefined : sorted}>
      {sortBy === undefined ? (
        title
      ) : (
        <button
          type="button"
          class="sort"
          onClick={() => setOrder({ title, isUp: isUp === null ? !look.isNumber : !isUp })}
        >
          {title}
          {isUp !== null && <span aria-hidden="true">{isUp ? "↑" : "↓"}</span>}
        </button>
      )}
    </th>
  );
}

function classOf({ isNumber, isShort }: Pick<Column<never>, "isNumber" | "isShort">): string | undefined {
  return isNumber ? "number" : isShort ? "short" : undefined;
}

function compare(a: string | number, b: string | number, order: Order | null): number {
  const sign = order?.isUp === false ? -1 : 1;
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b));
}
