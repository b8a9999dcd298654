import { useEffect, useRef, useState } from "preact/hooks";
import type { PageState } from "../state/state.ts";
import { post, problemOf } from "./request.ts";

interface Check<T> {
  /** Null until the server has said so. */
  readonly found: T | null;
  /** Why it has not. */
  readonly failure: string | null;
}

const NOT_YET = { found: null, failure: null };

/** So long nothing is asked after a key was pressed. Milliseconds. */
const QUIET_MS = 250;

interface Asked {
  readonly path: string;
  /** Null: there is nothing to ask. */
  readonly body: object | null;
  /** It is asked anew once this is another. */
  readonly anew?: unknown;
}

/** What the server says of what somebody writes, a moment after the last key. */
export function useCheck<T>({ path, body, anew }: Asked, state: PageState): Check<T> {
  const [known, setKnown] = useState<Check<T> & { readonly of: string }>({ ...NOT_YET, of: "" });
  const latest = useRef(state);
  latest.current = state;
  const of = JSON.stringify([body, anew]);
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
