import type { OpenRunView, RunViewOptions } from "../../core/progress/run-view.ts";
import type { QueryEvent } from "../../core/protocol/events.ts";
import { observeView } from "./view-observer.ts";

export type WatchedEvent = QueryEvent | { readonly type: "opened" | "closed" };

export type WatchRun = (run: Pick<RunViewOptions, "runId" | "sessionId">, event: WatchedEvent) => void;

/** Passes everything that a view shows on to the watchers. */
export function withWatchers(open: OpenRunView, watchers: readonly WatchRun[]): OpenRunView {
  if (watchers.length === 0) return open;
  return (run) => {
    const tell = (event: WatchedEvent): void => {
      for (const watch of watchers) watch(run, event);
    };
    const view = open(run);
    tell({ type: "opened" });
    const show = (event: QueryEvent): void => {
      view.show(event);
      tell(event);
    };
    return observeView(view, show, () => tell({ type: "closed" }));
  };
}
