import { hash } from "node:crypto";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Store } from "../../core/store/store.ts";
import { attemptWrites } from "./store.ts";

/** A key by which attempts are counted, and their maximum number. */
export interface AttemptKey {
  readonly key: string;
  readonly most: number;
}

/** Counts attempts in the database, so that a restart does not reset the counts. */
export type Attempts = ReturnType<typeof createAttempts>;

interface AttemptScope {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
}

/** The count of a key starts over after a window that begins with its first attempt. */
export function createAttempts({ store, clock }: AttemptScope, windowMs: number) {
  return {
    /**
     * Counts an attempt for all keys and returns 0. If one of them has reached its maximum, returns the seconds to wait
     * and counts nothing.
     */
    count: (by: readonly AttemptKey[]): Promise<number> =>
      store.transaction(async (tx) => {
        // Serialised, so that simultaneous attempts are all counted.
        await tx.takeAdvisoryLock("logins");
        const attempts = tx.tables(attemptWrites);
        const now = clock.now();
        const mosts = new Map(by.map(({ key, most }) => [idOf(key), most]));
        const ids = [...mosts.keys()];
        const full = (await attempts.running(ids, now)).filter(({ id, count }) => count >= (mosts.get(id) ?? 0));
        if (full.length > 0) return Math.max(1, ...full.map(({ until }) => Math.ceil((until - now) / 1_000)));
        await attempts.add(ids, { now, until: now + windowMs });
        return 0;
      }),
    /** Takes back a successful attempt. */
    takeBack: (by: readonly AttemptKey[]): Promise<void> =>
      store.transaction((tx) => tx.tables(attemptWrites).takeBack(by.map(({ key }) => idOf(key)))),
  };
}

/**
 * Returns a check whether a ticket is used for the first time in any process. Used tickets are remembered as long as
 * they are valid.
 */
export function createFirstUseCheck({ store, clock }: AttemptScope) {
  return (ticket: string, forMs: number): Promise<boolean> =>
    store.transaction((tx) => tx.tables(attemptWrites).isFirst(idOf(`ticket ${ticket}`), clock.now() + forMs));
}

/** Hashes the key, since a typed name may be a mistyped password. */
function idOf(key: string): string {
  return hash("sha256", key, "base64url");
}
