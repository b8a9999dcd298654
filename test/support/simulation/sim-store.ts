import type { Store } from "../../../src/core/store/store.ts";
import type { SimProcess, World } from "./world.ts";

class Killed extends Error {}

/**
 * The real store as seen by a process that may die before a transaction, within it (which rolls back) or after its
 * commit (whose outcome it never learns).
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

/** Like `simStore`, with slow reads, whose time passes only while the world runs. */
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
  /** Percentage of reads that are slow. */
  readonly percent: number;
  /** Duration of the slowest read, in milliseconds. */
  readonly ms: number;
}

/**
 * Delays during which others act between two reads: usually now and then, but always for processes far from the
 * database.
 */
const SLOW: Readonly<Record<"usual" | "far", Slowness>> = {
  usual: { percent: 10, ms: 300 },
  far: { percent: 50, ms: 1_000 },
};
/** Share of processes that are far from the database. */
const FAR = 0.3;

const NEVER = new AbortController().signal;

/** Routes every call, at any depth, through `call`. */
function tracked<T extends object>(target: T, call: (work: () => Promise<unknown>) => Promise<unknown>): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value: unknown = Reflect.get(object, key, receiver);
      // A feature's tables are named synchronously, but the calls on them go through `call`.
      if (key === "tables" && typeof value === "function")
        return (of: unknown) => tracked(Reflect.apply(value, object, [of]), call);
      if (typeof value === "function") return (...args: unknown[]) => call(() => Reflect.apply(value, object, args));
      return typeof value === "object" && value !== null ? tracked(value, call) : value;
    },
  });
}
