/** Runs tasks of one key one after the other, in the order given; tasks of different keys side by side. */
export type InOrder = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** A task that fails does not stop the next; its failure is the caller's. */
export function createInOrder(): InOrder {
  const last = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(task);
    const settled = mine.catch(() => undefined);
    last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}
