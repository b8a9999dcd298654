import type { Store, StoreTransaction } from "../../src/core/store/store.ts";

type Raise = StoreTransaction["sessions"]["raiseEpoch"];

/** A store that passes the beginning of each wake, which raises its session's epoch, to `around`. */
export function aroundWakes(
  store: Store,
  around: (raise: () => ReturnType<Raise>, id: string) => ReturnType<Raise>,
): Store {
  return {
    ...store,
    transaction: (work) =>
      store.transaction((tx) => {
        const raiseEpoch: Raise = (id) => around(() => tx.sessions.raiseEpoch(id), id);
        return work({ ...tx, sessions: { ...tx.sessions, raiseEpoch } });
      }),
  };
}
