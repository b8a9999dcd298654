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
    ...tracked(store, (work) => world.real(process, work)),
    transaction,
    close: () => Promise.resolve(),
  };
}

/** As `simStore`, with reads that take their time: it passes only while the world runs. */
export function slowStore(store: Store, world: World, process: SimProcess): Store {
  const { percent, ms } = world.random.next() < FAR ? SLOW.far : SLOW.usual;
  const quick = simStore(store, world, process);
  const read = async (work: () => Promise<unknown>) => {
    if (world.random.next() * 100 < percent) await world.clockOf(process).sleep(world.random.next() * ms, NEVER);
    return work();
  };
  return {
    ...tracked(quick, read),
    transaction: (work) => quick.transaction(work),
    close: () => quick.close(),
  };
}

interface Slowness {
  /** How many of a hundred reads are slow. */
  readonly percent: number;
  /** How slow the slowest is. Milliseconds. */
  readonly ms: number;
}

/** Others act between one read and the next: as a rule now and then, with some processes all the time. */
const SLOW: Readonly<Record<"usual" | "far", Slowness>> = {
  usual: { percent: 10, ms: 300 },
  far: { percent: 50, ms: 1_000 },
};
/** How many processes are far from the database. */
const FAR = 0.3;

const NEVER = new AbortController().signal;

/** Every call, however deep, goes through `call`. */
function tracked<T extends object>(target: T, call: (work: () => Promise<unknown>) => Promise<unknown>): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value: unknown = Reflect.get(object, key, receiver);
      // A feature's tables are named at once; what is asked of them goes through `call`.
      if (key === "tables" && typeof value === "function")
        return (of: unknown) => tracked(Reflect.apply(value, object, [of]), call);
      if (typeof value === "function") return (...args: unknown[]) => call(() => Reflect.apply(value, object, args));
      return typeof value === "object" && value !== null ? tracked(value, call) : value;
    },
  });
}
