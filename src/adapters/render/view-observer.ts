import type { RunView } from "../../core/progress/run-view.ts";

/** Replaces `show`, and calls `ended` once the run is parked, suspended or finished, even if that fails. */
export function observeView(view: RunView, show: RunView["show"], ended: () => void): RunView {
  const ending = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } finally {
      ended();
    }
  };
  return {
    show,
    finish: (outcome, stats) => ending(view.finish(outcome, stats)),
    park: () => ending(view.park()),
    suspend: () => ending(view.suspend()),
  };
}
