import type { Wake } from "../engine/engine.ts";
import type { RunView } from "../progress/run-view.ts";
import type { Store } from "../store/store.ts";

interface ParkedView {
  readonly view: RunView;
  readonly sessionId: string;
  /** The session's, as of the wake that parked. */
  readonly epoch: number;
}

/** How many are looked at whenever one more is kept: at most one of them is new. */
const LOOKED_AT = 2;

/**
 * Views of parked runs: they show how far the runs' sub-agents are, until a run goes on. Where another process goes on with
 * it, nobody here hears of that: those that have been kept for longest are looked at whenever one more is kept, so that what
 * a view holds, a run's history above all, does not stay for ever.
 */
export class ParkedViews {
  readonly #views = new Map<string, ParkedView>();
  readonly #sessions: Pick<Store["sessions"], "isOwnedIn"> | null;

  /** Null: no other process goes on with a run. */
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

  /** The run goes on here, or ends. */
  async end(runId: string): Promise<void> {
    const parked = this.#views.get(runId);
    this.#views.delete(runId);
    await parked?.view.suspend();
  }

  async #look(runId: string, parked: ParkedView): Promise<void> {
    const { sessionId, epoch } = parked;
    // A database that does not answer now is asked again later.
    const isOurs = (await this.#sessions?.isOwnedIn(sessionId, epoch).catch(() => true)) ?? true;
    if (this.#views.get(runId) !== parked) return;
    if (!isOurs) return this.end(runId);
    // Its next turn comes after all others.
    this.#views.delete(runId);
    this.#views.set(runId, parked);
  }
}
