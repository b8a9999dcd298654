import type { Store } from "../../../src/core/store/store.ts";

export interface Life {
  isAlive: boolean;
}

/** A store whose transactions never begin, nor end, for a process that is dead. `dies`: whether it does so after one of them. */
export function mortalStore(store: Store, life: Life, dies = async () => false): Store {
  const never = () => new Promise<never>(() => {});
  return {
    ...store,
    transaction: async (work) => {
      if (!life.isAlive) return never();
      const value = await store.transaction(work);
      if (await dies()) life.isAlive = false;
      return life.isAlive ? value : never();
    },
  };
}
