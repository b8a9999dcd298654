import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageState } from "../state/state.ts";

interface LazyView<P> {
  /** Null until it has loaded. */
  readonly View: FunctionComponent<P> | null;
  /** Text shown in its place meanwhile. */
  readonly words: string;
}

/** Loads a part of the page when it is first shown; if that fails offline, the page reloads on reconnecting. */
export function useLazyView<P>(load: () => Promise<FunctionComponent<P>>, { connection }: PageState): LazyView<P> {
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
    // Browsers do not retry a failed module import. Drafts survive the reload.
    if (hasFailed && isConnected) location.reload();
  }, [isConnected]);
  const failed = isConnected ? "This could not be loaded. Reload the page." : "This loads once the connection is back.";
  return { View, words: hasFailed ? failed : "Loading…" };
}
