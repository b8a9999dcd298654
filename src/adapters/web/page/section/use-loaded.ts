import { useEffect, useRef, useState } from "preact/hooks";
import { problemOf } from "./request.ts";

export interface Loaded<T> {
  /** Null until it has loaded. */
  readonly value: T | null;
  readonly isLoading: boolean;
  /** Why the latest load failed; null if it did not. */
  readonly problem: string | null;
  readonly reload: () => void;
}

/** Loads a value whenever the key changes; the previous value stays until the new one arrives. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [known, setKnown] = useState<Omit<Loaded<T>, "reload">>({ value: null, isLoading: true, problem: null });
  const [count, setCount] = useState(0);
  const shown = useRef<string | null>(null);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const ending = new AbortController();
    // A reload of the same key does not count as loading, because the shown value stays valid meanwhile.
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
  return { ...known, reload: () => setCount((before) => before + 1) };
}
