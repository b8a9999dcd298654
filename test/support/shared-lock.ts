import type { TakeLock } from "../../src/core/cluster.ts";
import { KeyedMutex } from "../../src/core/keyed-mutex.ts";

/** Locks shared by parts of a test as if they were processes. */
export function sharedLock(): TakeLock {
  const mutex = new KeyedMutex();
  return async (name) => {
    const given = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    mutex
      .run(name, () => {
        given.resolve();
        return over.promise;
      })
      .catch(given.reject);
    await given.promise;
    return { validForMs: () => 1_000, requireHeld: () => Promise.resolve(), [Symbol.dispose]: over.resolve };
  };
}
