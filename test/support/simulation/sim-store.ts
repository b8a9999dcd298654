import type { Store } from "../../../src/core/store/store.ts";
import type { SimProcess, World } from "./world.ts";

class Killed extends Error {}

/**
 * The real store as a process that may die sees it: before a transaction, inside it (it rolls back),
 * or after its commit (nobody learns of it).
 */
export function simStore(store: Store, world: World, process: SimProcess): Store {
  const transaction: Store["transaction"] = async (work) => {
    await world.step(process);
    const value = await world.real(process, () =>
      store.transaction(async (tx) => {
        const result = await work(tx);
        const dies = world.step(process);
        if (!process.isAlive) throw new Killed();
        await dies;
        return result;
      }),
    );
    await world.step(process);
    return value;
  };
  return {
    ...tracked(store, (work) => read(world, process, work)),
    transaction,
    close: () => Promise.resolve(),
  };
}

/** How many of a hundred reads are slow, and how slow the slowest is, in milliseconds: others act between one and the next. */
const SLOW = { percent: 10, ms: 300 };

function read(world: World, process: SimProcess, work: () => Promise<unknown>): Promise<unknown> {
  const isSlow = world.random.next() * 100 < SLOW.percent;
  if (!isSlow) return world.real(process, work);
  return world
    .clockOf(process)
    .sleep(world.random.next() * SLOW.ms, new AbortController().signal)
    .then(() => world.real(process, work));
}

/** Every call, however deep, goes through `call`. */
function tracked<T extends object>(target: T, call: (work: () => Promise<unknown>) => Promise<unknown>): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value: unknown = Reflect.get(object, key, receiver);
      if (typeof value === "function") return (...args: unknown[]) => call(() => Reflect.apply(value, object, args));
      return typeof value === "object" && value !== null ? tracked(value, call) : value;
    },
  });
}
