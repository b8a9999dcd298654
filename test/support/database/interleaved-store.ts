import type { StoreReads, StoreTransaction } from "../../../src/core/store/store.ts";

/** A store, or one transaction, in which somebody acts between two statements, after a given number of them. */
export function interleaved<S extends StoreReads | StoreTransaction>(
  store: S,
  afterReads: number,
  act: () => Promise<void>,
): S {
  let reads = 0;
  const counted = async (read: () => Promise<unknown>) => {
    const value = await read();
    reads += 1;
    if (reads === afterReads) await act();
    return value;
  };
  return reading(store, counted);
}

function reading<T extends object>(target: T, counted: (read: () => Promise<unknown>) => Promise<unknown>): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value: unknown = Reflect.get(object, key, receiver);
      if (typeof value === "function") return (...args: unknown[]) => counted(() => Reflect.apply(value, object, args));
      return typeof value === "object" && value !== null ? reading(value, counted) : value;
    },
  });
}
