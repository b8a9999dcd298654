import type { Store } from "../../../src/core/store/store.ts";

export interface Life {
  isAlive: boolean;
}

/**
 * A store for a process that may be dead: then its transactions neither begin nor end. `dies` decides after each
 * transaction whether the process dies.
 */
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
