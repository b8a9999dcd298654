import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageState } from "../state/state.ts";

interface Part<P> {
  /** Null until it is there. */
  readonly View: FunctionComponent<P> | null;
  /** What stands in its place meanwhile. */
  readonly words: string;
}

/** A part of the page that is loaded when it is first shown; what could not come without a connection comes with the next one. */
export function usePart<P>(load: () => Promise<FunctionComponent<P>>, { connection }: PageState): Part<P> {
  const [View, setView] = useState<FunctionComponent<P> | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const isConnected = connection === "open";
  useEffect(() => {
    load().then(
      (view) => setView(() => view),
      () => setHasFailed(true),
    );
  }, []);
  useEffect(() => {
    // Browsers do not ask a second time for what has not come. What is written is kept.
    if (hasFailed && isConnected) location.reload();
  }, [isConnected]);
  const failed = isConnected
    ? "This could not be loaded. Reload the page."
    : "This is loaded once there is a connection.";
  return { View, words: hasFailed ? failed : "Loading…" };
}
