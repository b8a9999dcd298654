import { useRef, useState } from "preact/hooks";
import { problemOf } from "./request.ts";
import { type Loaded, useLoaded } from "./use-loaded.ts";

export interface PageOf<T> {
  readonly rows: readonly T[];
  /** Cursor of the next page; null after the last one. */
  readonly next: string | null;
}

interface Pages<T> extends Loaded<PageOf<T>> {
  /** True while only the first page was loaded. */
  readonly isBeginning: boolean;
  readonly more: () => void;
}

/** Loads the results of a search page by page; the value holds all pages loaded so far. */
export function usePages<T>(key: string, load: (after: string, signal?: AbortSignal) => Promise<PageOf<T>>): Pages<T> {
  const first = useLoaded(key, (signal) => load("", signal));
  const [later, setLater] = useState<Later<T> | null>(null);
  const isBusy = useRef(false);
  const mine = later !== null && later.first === first.value ? later : null;
  const value =
    first.value === null || mine === null
      ? first.value
      : { rows: [...first.value.rows, ...mine.page.rows], next: mine.page.next };
  const more = async (): Promise<void> => {
    const beginning = first.value;
    if (isBusy.current || beginning === null || value === null || value.next === null) return;
    isBusy.current = true;
    const rows = mine?.page.rows ?? [];
    try {
      const page = await load(value.next);
      setLater({ first: beginning, page: { rows: [...rows, ...page.rows], next: page.next }, problem: null });
    } catch (error) {
      setLater({ first: beginning, page: { rows, next: value.next }, problem: problemOf(error) });
    } finally {
      isBusy.current = false;
    }
  };
  return {
    ...first,
    value,
    isBeginning: mine === null,
    problem: first.problem ?? mine?.problem ?? null,
    more: () => {
      more().catch(() => {});
    },
  };
}

interface Later<T> {
  /** The first page that these rows continue; they are dropped once it is replaced. */
  readonly first: PageOf<T>;
  readonly page: PageOf<T>;
  readonly problem: string | null;
}
