import type { Cluster } from "../cluster.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";

/** This many quick runs in a thread within the window are no conversation of people. */
const MAX_QUICK_RUNS = 30;
const WINDOW_MS = 600_000;
/** A run is quick if it begins this soon after the previous one ended: people do not read and answer that fast. */
const QUICK_MS = 5_000;

/** `stops`: the thread must be told that it stops here; `stopped`: it has been told. */
export type ThreadVerdict = "goes on" | "stops" | "stopped";

/**
 * Ends conversations with anything that answers every message at once, such as a script under a person's name or
 * another program's bridge. Messages are counted in memory; the store is asked only about threads with many of them.
 */
export class ThreadBreaker {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #cluster: Pick<Cluster, "size">;
  /** Times of recent messages, by session. Milliseconds since the epoch. */
  readonly #arrivals = new Map<string, number[]>();
  /** When each session was told that it stops. */
  readonly #stoppedAt = new Map<string, number>();

  /** `cluster`: the processes among which a thread's messages are spread. */
  constructor({ store, clock, cluster }: { store: Store; clock: Clock; cluster: Pick<Cluster, "size"> }) {
    this.#store = store;
    this.#clock = clock;
    this.#cluster = cluster;
  }

  /** Judges a message that would begin or enter a run. */
  async arrives(sessionId: string): Promise<ThreadVerdict> {
    const now = this.#clock.now();
    const since = now - WINDOW_MS;
    const arrivals = [...(this.#arrivals.get(sessionId) ?? []), now].filter((at) => at > since);
    this.#forget(since);
    this.#arrivals.set(sessionId, arrivals);
    if (arrivals.length * this.#cluster.size() <= MAX_QUICK_RUNS) return "goes on";

    const runs = await this.#store.runs.since(sessionId, since);
    const quick = runs.filter(({ startedAt }, index) => {
      const endedAt = runs[index - 1]?.endedAt ?? null;
      return endedAt !== null && startedAt - endedAt < QUICK_MS;
    });
    if (quick.length < MAX_QUICK_RUNS) return "goes on";
    const stoppedAt = this.#stoppedAt.get(sessionId) ?? 0;
    this.#stoppedAt.set(sessionId, stoppedAt > since ? stoppedAt : now);
    return stoppedAt > since ? "stopped" : "stops";
  }

  /** Forgets sessions without a message within the window. */
  #forget(since: number): void {
    for (const [sessionId, arrivals] of this.#arrivals) {
      if ((arrivals.at(-1) ?? 0) > since) continue;
      this.#arrivals.delete(sessionId);
      this.#stoppedAt.delete(sessionId);
    }
  }
}
