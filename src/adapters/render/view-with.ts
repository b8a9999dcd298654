import type { RunView } from "../../core/progress/run-view.ts";

/** The same view, which shows as given; `ended` is called once the run waits or has ended, however that went. */
export function viewWith(view: RunView, show: RunView["show"], ended: () => void): RunView {
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
