import type { StoppedRun } from "../subagents/children.ts";

/** Assigns sessions to one of several processes. */
export interface Placement {
  /** Requests that some process, possibly this one, holds each session. The request is durable when this resolves. */
  request(sessionIds: readonly string[]): Promise<void>;
  /** Notifies the other processes of a run that is already durably stopped, because one of them may be running it. */
  publishStop(run: StoppedRun): Promise<void>;
  /** Throws StoreError `stale_owner` if the other processes consider this one dead. */
  requireAlive(): Promise<void>;
}

interface Hold {
  readonly idle: PromiseWithResolvers<void>;
  /** Number of wakes in progress, which may turn out to have something to do. */
  wakes: number;
}

/** The sessions that this process may run. Each is held until there is nothing left to do for it here. */
export class HeldSessions {
  readonly #isBusy: (sessionId: string) => boolean;
  readonly #held = new Map<string, Hold>();

  constructor(isBusy: (sessionId: string) => boolean) {
    this.#isBusy = isBusy;
  }

  ids(): string[] {
    return [...this.#held.keys()];
  }

  has(sessionId: string): boolean {
    return this.#held.has(sessionId);
  }

  /** Holds a session. Resolves when it is released. */
  add(sessionId: string): Promise<void> {
    const hold = this.#held.get(sessionId) ?? { idle: Promise.withResolvers<void>(), wakes: 0 };
    this.#held.set(sessionId, hold);
    return hold.idle.promise;
  }

  /** Runs `wake` while keeping the session held. Returns false without running it if the session is not held. */
  async during(sessionId: string, wake: () => Promise<void>): Promise<boolean> {
    const hold = this.#held.get(sessionId);
    if (hold === undefined) return false;
    hold.wakes += 1;
    try {
      await wake();
    } finally {
      hold.wakes -= 1;
      this.settle(sessionId);
    }
    return true;
  }

  /** Releases the session if there is nothing left to do. */
  settle(sessionId: string): void {
    const hold = this.#held.get(sessionId);
    if (hold === undefined || hold.wakes > 0 || this.#isBusy(sessionId)) return;
    this.#held.delete(sessionId);
    hold.idle.resolve();
  }
}
