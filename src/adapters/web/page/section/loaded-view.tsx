import type { ComponentChildren, JSX } from "preact";
import type { Loaded } from "./use-loaded.ts";

interface LoadedViewProps<T> {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows the loaded value, that it is loading, or why it failed, with a button to retry. */
export function LoadedView<T>({ loaded, children }: LoadedViewProps<T>): JSX.Element {
  const { value, isLoading, problem, reload } = loaded;
  return (
    <div class={isLoading && value !== null ? "loaded stale" : "loaded"} aria-busy={isLoading}>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}{" "}
          <button type="button" onClick={reload}>
            Try again
          </button>
        </p>
      )}
      {value === null && problem === null && <p class="hint centred">Loading…</p>}
      {value !== null && children(value)}
    </div>
  );
}
