import type { TurnContext, Wake } from "../engine/engine.ts";
import type { RunView } from "../progress/run-view.ts";
import type { Log } from "../protocol/log.ts";

type Open = (wake: Wake, context: TurnContext) => Promise<RunView>;

/** Views of runs that wait for a free slot. The run then continues with the message that its view has posted. */
export class QueuedViews {
  readonly #views = new Map<string, Promise<RunView>>();
  readonly #open: Open;
  readonly #log: Log;

  constructor(open: Open, log: Log) {
    this.#open = open;
    this.#log = log;
  }

  async show(wake: Wake, context: TurnContext, before: number): Promise<void> {
    const { runId } = wake;
    const opening = this.#views.get(runId) ?? this.#begin(wake, context);
    const view = await opening;
    // The run may have started while the view was opening.
    if (this.#views.has(runId)) view.show({ type: "queued", before });
  }

  /** Releases the view because the run has started or will not start here any more. */
  async end(runId: string): Promise<void> {
    const opening = this.#views.get(runId);
    this.#views.delete(runId);
    // The caller that opened the view handles its failure.
    const view = await opening?.catch(() => null);
    await view?.suspend();
  }

  /**
   * Opens a view that is released when the wake aborts. Otherwise its repeated updates would keep a stopping process
   * alive.
   */
  #begin(wake: Wake, context: TurnContext): Promise<RunView> {
    const { runId } = wake;
    const opening = this.#open(wake, context);
    this.#views.set(runId, opening);
    opening.catch(() => this.#views.delete(runId));
    const leave = () => {
      this.end(runId).catch((error: unknown) => this.#log.warn({ err: error, runId }, "queued_view_not_left"));
    };
    if (context.signal.aborted) leave();
    else context.signal.addEventListener("abort", leave, { once: true });
    return opening;
  }
}
