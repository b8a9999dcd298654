import type { LoadedSdk, Sdk } from "../../../src/core/dbos-engine/claims.ts";
import { copyOfDbos } from "../database/dbos-copy.ts";

/** How often a replica looks for claims in real time, which costs the world none of its own. Milliseconds. */
const LOOK_EVERY_MS = 50;

/** Copies of the package for replicas that come after one another. */
export class SdkCopies {
  readonly #free: LoadedSdk[] = [];

  take(): Promise<LoadedSdk> {
    const free = this.#free.pop();
    return free === undefined ? copyOfDbos() : Promise.resolve(free);
  }

  giveBack(copy: LoadedSdk): void {
    this.#free.push(copy);
  }
}

interface Watching {
  /** Counts work in real time, whose outcome reaches only the living. */
  readonly real: <T>(work: () => Promise<T>) => Promise<T>;
  /** What is claimed or held has changed. */
  readonly changed: () => void;
}

/** DBOS Transact as one replica of the simulation has it: the world waits for what it does in real time. */
export class ReplicaSdk {
  /** Sessions that the replica holds. */
  readonly held = new Set<string>();
  readonly loaded: LoadedSdk;
  readonly copy: LoadedSdk;
  readonly #watching: Watching;
  #launching: Promise<unknown> = Promise.resolve();
  /** From here on it takes claims. */
  isAble = false;
  #isEnded = false;

  constructor(copy: LoadedSdk, watching: Watching) {
    this.copy = copy;
    this.#watching = watching;
    this.loaded = {
      DBOS: this.#watched(copy.DBOS),
      recover: (executorIds) => this.#changing(() => copy.recover(executorIds)),
      take: (...asked) => this.#changing(() => copy.take(...asked)),
    };
  }

  /** Takes nothing more and writes nothing more; what it holds stays claimed. */
  async end(): Promise<void> {
    this.isAble = false;
    this.#isEnded = true;
    await this.#launching.catch(() => undefined); // what has not come up is shut down all the same
    await this.copy.DBOS.shutdown({ deregister: true });
  }

  /** The copy may be another replica's by now. */
  #changing<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isEnded) return Promise.reject(new Error("this replica is no more"));
    this.#watching.changed();
    return this.#watching.real(work);
  }

  #watched(DBOS: Sdk["DBOS"]): Sdk["DBOS"] {
    const watched: Partial<Record<string | symbol, unknown>> = {
      registerWorkflow: (hold: (sessionId: string) => Promise<void>, config: { name: string }) =>
        DBOS.registerWorkflow((sessionId: string) => this.#hold(sessionId, hold), config),
      startWorkflow:
        (claim: (sessionId: string) => Promise<void>, params: object) =>
        (sessionId: string): Promise<unknown> =>
          this.#changing(() => DBOS.startWorkflow(claim, params)(sessionId)),
      launch: () => this.#launch(() => DBOS.launch()),
      registerQueue: async (name: string, options: object) => {
        const hurried = { ...options, minPollingIntervalMs: LOOK_EVERY_MS };
        const queue = await this.#launch(() => DBOS.registerQueue(name, hurried));
        this.isAble = true;
        return queue;
      },
    };
    return new Proxy(DBOS, {
      get(target, key) {
        const own: unknown = Reflect.get(target, key);
        return watched[key] ?? (typeof own === "function" ? own.bind(target) : own);
      },
    });
  }

  #launch<T>(work: () => Promise<T>): Promise<T> {
    const launching = work();
    this.#launching = launching;
    return this.#changing(() => launching);
  }

  async #hold(sessionId: string, hold: (sessionId: string) => Promise<void>): Promise<void> {
    this.held.add(sessionId);
    this.#watching.changed();
    try {
      await hold(sessionId);
    } finally {
      this.held.delete(sessionId);
      this.#watching.changed();
    }
  }
}
