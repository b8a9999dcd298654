import type { LoadedSdk, Sdk } from "../../../src/core/dbos-engine/claims.ts";
import { copyOfDbos } from "../database/dbos-copy.ts";

/** Real-time polling interval for claims in milliseconds, which takes no virtual time. */
const LOOK_EVERY_MS = 50;

/** Copies of the package that successive replicas reuse. */
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
  /** Counts real-time work, whose outcome reaches only living processes. */
  readonly real: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called when a claim or a holder has changed. */
  readonly changed: () => void;
}

/** DBOS Transact as used by one replica of the simulation: the world waits for its real-time work. */
export class ReplicaSdk {
  /** Sessions that the replica holds. */
  readonly held = new Set<string>();
  readonly loaded: LoadedSdk;
  readonly copy: LoadedSdk;
  readonly #watching: Watching;
  #launching: Promise<unknown> = Promise.resolve();
  /** True once it accepts claims. */
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

  /** Stops accepting and writing; what it holds stays claimed. */
  async end(): Promise<void> {
    this.isAble = false;
    this.#isEnded = true;
    await this.#launching.catch(() => undefined); // a failed launch is shut down all the same
    await this.copy.DBOS.shutdown({ deregister: true });
  }

  /** Rejects after the end, when the copy may belong to another replica. */
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
