import { hash } from "node:crypto";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Store } from "../../core/store/store.ts";
import { attemptWrites } from "./store.ts";

/** What tries are counted by, and how many there may be. */
export interface Counted {
  readonly key: string;
  readonly most: number;
}

/** Counts tries in the database: a restart lets nobody begin anew. */
export type Attempts = ReturnType<typeof createAttempts>;

interface AttemptScope {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
}

/** A key's count begins anew once its window is over, which begins with its first try. */
export function createAttempts({ store, clock }: AttemptScope, windowMs: number) {
  return {
    /** Seconds until there may be another try. 0: there may, and it is counted, by each of the keys. */
    count: (by: readonly Counted[]): Promise<number> =>
      store.transaction(async (tx) => {
        // One after the other: many at once are many all the same.
        await tx.takeTurn("logins");
        const attempts = tx.tables(attemptWrites);
        const now = clock.now();
        const mosts = new Map(by.map(({ key, most }) => [idOf(key), most]));
        const ids = [...mosts.keys()];
        const full = (await attempts.running(ids, now)).filter(({ id, count }) => count >= (mosts.get(id) ?? 0));
        if (full.length > 0) return Math.max(1, ...full.map(({ until }) => Math.ceil((until - now) / 1_000)));
        await attempts.add(ids, { now, until: now + windowMs });
        return 0;
      }),
    /** The try was a good one. */
    takeBack: (by: readonly Counted[]): Promise<void> =>
      store.transaction((tx) => tx.tables(attemptWrites).takeBack(by.map(({ key }) => idOf(key)))),
  };
}

/** Whether a ticket is used for the first time, whichever process is asked, as long as it may be used at all. */
export function firstUses({ store, clock }: AttemptScope) {
  return (ticket: string, forMs: number): Promise<boolean> =>
    store.transaction((tx) => tx.tables(attemptWrites).isFirst(idOf(`ticket ${ticket}`), clock.now() + forMs));
}

/** What was typed as a name may be a password. */
function idOf(key: string): string {
  return hash("sha256", key, "base64url");
}
