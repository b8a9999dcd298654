import { useEffect, useRef, useState } from "preact/hooks";
import { problemOf } from "./request.ts";

export interface Loaded<T> {
  /** Null until it is there. */
  readonly value: T | null;
  readonly isLoading: boolean;
  /** Why it is not there, or no newer one is; null where all is well. */
  readonly problem: string | null;
  readonly again: () => void;
}

/** What is loaded for a key, anew for another one; what was there stays until then. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [known, setKnown] = useState<Omit<Loaded<T>, "again">>({ value: null, isLoading: true, problem: null });
  const [count, setCount] = useState(0);
  const shown = useRef<string | null>(null);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const ending = new AbortController();
    // What is looked at again holds until then.
    setKnown((before) => ({ ...before, isLoading: shown.current !== key }));
    const fetching = async (): Promise<void> => {
      const { value, problem } = await latest.current(ending.signal).then(
        (loaded) => ({ value: loaded, problem: null }),
        (error: unknown) => ({ value: null, problem: problemOf(error) }),
      );
      if (ending.signal.aborted) return;
      if (problem === null) shown.current = key;
      setKnown((before) => ({ value: problem === null ? value : before.value, isLoading: false, problem }));
    };
    fetching().catch(() => {});
    return () => ending.abort();
  }, [key, count]);
  return { ...known, again: () => setCount((before) => before + 1) };
}
