import type { JSX } from "preact";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { LoadedView } from "./loaded-view.tsx";
import type { usePages } from "./use-pages.ts";

interface PagedTableProps<T> extends Omit<DataTableProps<T>, "rows"> {
  readonly found: ReturnType<typeof usePages<T>>;
  /** Label of the button that loads the next page. */
  readonly more: string;
}

/** A table of search results, loaded page by page. */
export function PagedTable<T>({ found, more, ...table }: PagedTableProps<T>): JSX.Element {
  return (
    <LoadedView loaded={found}>
      {({ rows, next }) => (
        <>
          <DataTable {...table} rows={rows} />
          <More next={next} words={more} ask={found.more} />
        </>
      )}
    </LoadedView>
  );
}

interface MoreProps {
  /** Null after the last page. */
  readonly next: string | null;
  readonly words: string;
  readonly ask: () => void;
}

export function More({ next, words, ask }: MoreProps): JSX.Element | null {
  if (next === null) return null;
  return (
    <button type="button" class="more" onClick={ask}>
      {words}
    </button>
  );
}
