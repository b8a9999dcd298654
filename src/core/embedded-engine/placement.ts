import type { StoppedRun } from "../subagents/children.ts";

/** Which of several processes runs a session. */
export interface Placement {
  /** Asks that some process holds each session, this one or another; durable when it resolves. */
  request(sessionIds: readonly string[]): Promise<void>;
  /** Tells the others that a run is stopped, which is durable already; one of them may be at it. */
  tellStopped(run: StoppedRun): Promise<void>;
  /** Throws StoreError `stale_owner` once the others have taken this process for dead. */
  requireAlive(): Promise<void>;
}

interface Hold {
  readonly idle: PromiseWithResolvers<void>;
  /** Wakes that are being looked into, of which nobody knows yet whether they bring something to do. */
  wakes: number;
}

/** The sessions that this process may run, each until it has nothing to do here. */
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

  /** Resolves when the session is given back. */
  add(sessionId: string): Promise<void> {
    const hold = this.#held.get(sessionId) ?? { idle: Promise.withResolvers<void>(), wakes: 0 };
    this.#held.set(sessionId, hold);
    return hold.idle.promise;
  }

  /** Wakes the session, which is not given back meanwhile; false, and nothing is done, where it is not held. */
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

  /** Gives the session back where nothing is left to do. */
  settle(sessionId: string): void {
    const hold = this.#held.get(sessionId);
    if (hold === undefined || hold.wakes > 0 || this.#isBusy(sessionId)) return;
    this.#held.delete(sessionId);
    hold.idle.resolve();
  }
}
