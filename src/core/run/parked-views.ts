import type { Wake } from "../engine/engine.ts";
import type { RunView } from "../progress/run-view.ts";
import type { Store } from "../store/store.ts";

interface ParkedView {
  readonly view: RunView;
  readonly sessionId: string;
  /** Epoch of the session in the wake that parked. */
  readonly epoch: number;
}

/** Number of kept views that are checked whenever one is added. At most one is new, so all get checked eventually. */
const LOOKED_AT = 2;

/**
 * Views of parked runs, which show the progress of sub-agents until the run continues. If another process continues the
 * run, this one is not notified. So the views kept longest are checked whenever one is added, and stale ones are
 * released together with the run histories they hold.
 */
export class ParkedViews {
  readonly #views = new Map<string, ParkedView>();
  readonly #sessions: Pick<Store["sessions"], "isOwnedIn"> | null;

  /** `sessions` is null if no other process can continue a run. */
  constructor(sessions: Pick<Store["sessions"], "isOwnedIn"> | null) {
    this.#sessions = sessions;
  }

  has(runId: string): boolean {
    return this.#views.has(runId);
  }

  async keep({ runId, sessionId }: Pick<Wake, "runId" | "sessionId">, epoch: number, view: RunView): Promise<void> {
    const oldest = [...this.#views].slice(0, LOOKED_AT);
    this.#views.set(runId, { view, sessionId, epoch });
    await view.park();
    for (const [id, parked] of oldest) await this.#look(id, parked);
  }

  /** Releases the view because the run continues here or has ended. */
  async end(runId: string): Promise<void> {
    const parked = this.#views.get(runId);
    this.#views.delete(runId);
    await parked?.view.suspend();
  }

  async #look(runId: string, parked: ParkedView): Promise<void> {
    const { sessionId, epoch } = parked;
    // If the database does not answer, keeps the view for a later check.
    const isOurs = (await this.#sessions?.isOwnedIn(sessionId, epoch).catch(() => true)) ?? true;
    if (this.#views.get(runId) !== parked) return;
    if (!isOurs) return this.end(runId);
    // Moves the view to the end of the queue.
    this.#views.delete(runId);
    this.#views.set(runId, parked);
  }
}
