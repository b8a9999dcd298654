import type { OpenRunView, RunViewOptions } from "../../core/progress/run-view.ts";
import type { QueryEvent } from "../../core/protocol/events.ts";

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
    const closing = async (work: Promise<void>): Promise<void> => {
      try {
        await work;
      } finally {
        tell({ type: "closed" });
      }
    };
    const view = open(run);
    tell({ type: "opened" });
    return {
      show(event) {
        view.show(event);
        tell(event);
      },
      finish: (outcome, stats) => closing(view.finish(outcome, stats)),
      park: () => closing(view.park()),
      suspend: () => closing(view.suspend()),
    };
  };
}
