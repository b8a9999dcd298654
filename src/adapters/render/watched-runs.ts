import type { OpenRunView, RunViewOptions } from "../../core/progress/run-view.ts";
import type { QueryEvent } from "../../core/protocol/events.ts";
import { viewWith } from "./view-with.ts";

/** What a view is told: that it opens, what happens, and that the run waits or has ended. */
export type WatchedEvent = QueryEvent | { readonly type: "opened" | "closed" };

export type WatchRun = (run: Pick<RunViewOptions, "runId" | "sessionId">, event: WatchedEvent) => void;

/** The same view; others hear of what it shows. */
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
    return viewWith(view, show, () => tell({ type: "closed" }));
  };
}
