import type { Store } from "../../src/core/store/store.ts";

/**
 * Caches the interrupted runs and the jobs with waiting due times until the next transaction, which is safe while
 * nobody else writes. The jobs ask for these every ten and every thirty seconds, and do little else through days
 * without activity.
 */
export function remembering(store: Store): Store {
  let known: { interrupted?: Interrupted; waiting?: Waiting } = {};
  const forget = () => {
    known = {};
  };
  return {
    ...store,
    runs: { ...store.runs, interrupted: () => (known.interrupted ??= store.runs.interrupted()) },
    occurrences: { ...store.occurrences, waitingJobs: () => (known.waiting ??= store.occurrences.waitingJobs()) },
    transaction: (work) => {
      forget();
      return store.transaction(work).finally(forget);
    },
  };
}

type Interrupted = ReturnType<Store["runs"]["interrupted"]>;
type Waiting = ReturnType<Store["occurrences"]["waitingJobs"]>;

/** Refuses this many transactions. */
export function faulty(store: Store, refusing: { left: number }): Store {
  return {
    ...store,
    transaction: (work) => {
      if (refusing.left === 0) return store.transaction(work);
      refusing.left -= 1;
      return Promise.reject(new Error("the database is away"));
    },
  };
}

/** Counts the store's calls that have not ended. */
export function tracked<T extends object>(target: T, busy: { calls: number }): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value: unknown = Reflect.get(object, key, receiver);
      if (typeof value === "object" && value !== null) return tracked(value, busy);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        busy.calls += 1;
        try {
          return await Reflect.apply(value, object, args);
        } finally {
          busy.calls -= 1;
        }
      };
    },
  });
}
