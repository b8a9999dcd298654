import type { Cluster } from "../cluster.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";

/** More quick runs than this in a thread within the window are no conversation of people. */
const MOST_QUICK_RUNS = 30;
const WINDOW_MS = 600_000;
/** A run is quick when it begins so soon after the end of the one before: nobody reads and answers as fast, time after time. */
const QUICK_MS = 5_000;

/** `stops`: the thread is to be told that it stops here; `stopped`: it has been. */
export type ThreadVerdict = "goes on" | "stops" | "stopped";

/**
 * Ends conversations with whatever answers every answer at once: a script under a person's name, another
 * program's bridge. Messages are counted in memory; the store is asked only about threads with many of them.
 */
export class ThreadBreaker {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #cluster: Pick<Cluster, "size">;
  /** When messages came lately, by session. Milliseconds since the epoch. */
  readonly #arrivals = new Map<string, number[]>();
  /** When a session was told that it stops. */
  readonly #told = new Map<string, number>();

  /** `cluster`: the processes that take messages, of each thread their share. */
  constructor({ store, clock, cluster }: { store: Store; clock: Clock; cluster: Pick<Cluster, "size"> }) {
    this.#store = store;
    this.#clock = clock;
    this.#cluster = cluster;
  }

  /** Judges a message that would begin a run or enter one. */
  async arrives(sessionId: string): Promise<ThreadVerdict> {
    const now = this.#clock.now();
    const since = now - WINDOW_MS;
    const arrivals = [...(this.#arrivals.get(sessionId) ?? []), now].filter((at) => at > since);
    this.#forget(since);
    this.#arrivals.set(sessionId, arrivals);
    if (arrivals.length * this.#cluster.size() <= MOST_QUICK_RUNS) return "goes on";

    const runs = await this.#store.transaction((tx) => tx.budgets.runsSince(sessionId, since));
    const quick = runs.filter(({ startedAt }, index) => {
      const endedAt = runs[index - 1]?.endedAt ?? null;
      return endedAt !== null && startedAt - endedAt < QUICK_MS;
    });
    if (quick.length < MOST_QUICK_RUNS) return "goes on";
    const toldAt = this.#told.get(sessionId) ?? 0;
    this.#told.set(sessionId, toldAt > since ? toldAt : now);
    return toldAt > since ? "stopped" : "stops";
  }

  /** Sessions from which nothing has come within the window. */
  #forget(since: number): void {
    for (const [sessionId, arrivals] of this.#arrivals) {
      if ((arrivals.at(-1) ?? 0) > since) continue;
      this.#arrivals.delete(sessionId);
      this.#told.delete(sessionId);
    }
  }
}
