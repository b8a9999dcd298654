import { useEffect, useRef, useState } from "preact/hooks";
import type { PageState } from "../state/state.ts";
import { post, problemOf } from "./request.ts";

interface Check<T> {
  /** The server's answer; null until it arrives. */
  readonly found: T | null;
  /** Why the check failed; null if it did not. */
  readonly failure: string | null;
}

const NOT_YET = { found: null, failure: null };

/** Debounces keystrokes. In milliseconds. */
const QUIET_MS = 250;

interface Asked {
  readonly path: string;
  /** Null if there is nothing to check. */
  readonly body: object | null;
  /** A change of this value repeats the check. */
  readonly repeatOn?: unknown;
}

/** Has the server check what somebody writes, shortly after the last keystroke. */
export function useCheck<T>({ path, body, repeatOn }: Asked, state: PageState): Check<T> {
  const [known, setKnown] = useState<Check<T> & { readonly of: string }>({ ...NOT_YET, of: "" });
  const latest = useRef(state);
  latest.current = state;
  const of = JSON.stringify([body, repeatOn]);
  useEffect(() => {
    if (body === null) return undefined;
    let isOld = false;
    const timer = setTimeout(() => {
      post<T>(path, body, latest.current).then(
        (found) => isOld || setKnown({ found, failure: null, of }),
        (error: unknown) => isOld || setKnown({ found: null, failure: problemOf(error), of }),
      );
    }, QUIET_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [of]);
  return known.of === of ? known : NOT_YET;
}
