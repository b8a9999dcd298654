import { hash } from "node:crypto";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Store } from "../../core/store/store.ts";
import { attemptReads, attemptWrites } from "./store.ts";

/** What tries are counted by, and how many there may be. */
export interface Counted {
  readonly key: string;
  readonly most: number;
}

/** Counts tries in the database: a restart lets nobody begin anew. */
export interface Attempts {
  /** Seconds until there may be another try. 0: there may, and it is counted, by each of the keys. */
  count(by: readonly Counted[]): Promise<number>;
  /** The try was a good one. */
  takeBack(by: readonly Counted[]): Promise<void>;
}

/** A key's count begins anew once its window is over, which begins with its first try. `isShared`: other processes count, too. */
export function createAttempts(
  { store, clock, isShared }: { readonly store: Store; readonly clock: Pick<Clock, "now">; readonly isShared: boolean },
  windowMs: number,
): Attempts {
  const counting = new KeyedMutex();
  const countAt = async (now: number, by: readonly Counted[], { running, add }: Counting): Promise<number> => {
    const mosts = new Map(by.map(({ key, most }) => [idOf(key), most]));
    const ids = [...mosts.keys()];
    const full = (await running(ids, now)).filter(({ id, count }) => count >= (mosts.get(id) ?? 0));
    if (full.length > 0) return Math.max(1, ...full.map(({ until }) => Math.ceil((until - now) / 1_000)));
    await add(ids, { now, until: now + windowMs });
    return 0;
  };
  const alone: Counting = {
    ...store.tables(attemptReads),
    add: (ids, span) => store.transaction((tx) => tx.tables(attemptWrites).add(ids, span)),
  };
  return {
    count: (by) =>
      // One after the other: many at once are many all the same.
      counting.run("count", async () => {
        const now = clock.now();
        if (!isShared) return countAt(now, by, alone);
        return store.transaction(async (tx) => {
          await tx.takeTurn("logins");
          return countAt(now, by, { ...tx.tables(attemptReads), ...tx.tables(attemptWrites) });
        });
      }),
    takeBack: (by) => store.transaction((tx) => tx.tables(attemptWrites).takeBack(by.map(({ key }) => idOf(key)))),
  };
}

type Counting = Pick<ReturnType<typeof attemptReads>, "running"> & Pick<ReturnType<typeof attemptWrites>, "add">;

/** Whether a ticket is used for the first time, whichever process is asked, as long as it may be used at all. */
export function firstUses({ store, clock }: { readonly store: Store; readonly clock: Pick<Clock, "now"> }) {
  return (ticket: string, forMs: number): Promise<boolean> =>
    store.transaction((tx) => tx.tables(attemptWrites).isFirst(idOf(`ticket ${ticket}`), clock.now() + forMs));
}

/** What was typed as a name may be a password. */
function idOf(key: string): string {
  return hash("sha256", key, "base64url");
}
