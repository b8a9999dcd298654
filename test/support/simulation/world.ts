import type { Clock, Random } from "../../../src/core/protocol/runtime.ts";

/** A promise for what a killed process will never learn. */
function never<T>(): Promise<T> {
  return new Promise(() => {});
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
  /** Null: the world's own, e.g. a message under way that lands whoever is dead. */
  readonly owner: SimProcess | null;
}

/** A process of the program inside the simulation; it dies between two steps, and all it awaits is lost. */
export interface SimProcess {
  isAlive: boolean;
  /** Steps until it is killed; null: it lives. */
  stepsLeft: number | null;
  /** Resolves when it goes on; null where it is not frozen. */
  thawed: PromiseWithResolvers<void> | null;
}

/**
 * Virtual time for whole conversations. Real asynchronous work (the database) is counted; the clock
 * moves only when nothing is under way, so equal seeds give equal histories.
 */
export class World {
  readonly random: Random;
  /** Told of each process that dies, when it does. */
  died: (process: SimProcess) => void = () => {};
  /** Whether what goes on in real time and is not counted has come to rest, too. */
  isOutsideQuiet: () => Promise<boolean> = () => Promise.resolve(true);
  #now = 1_800_000_000_000;
  #order = 0;
  #timers: Timer[] = [];
  #underWay = 0;
  #activity = 0;
  /** Resolves when real work has ended. */
  #ended = Promise.withResolvers<void>();

  constructor(random: Random) {
    this.random = random;
  }

  now(): number {
    return this.#now;
  }

  /** A new process; `killAfter` is the number of steps it lives. */
  spawn(killAfter: number | null): SimProcess {
    return { isAlive: true, stepsLeft: killAfter, thawed: null };
  }

  /** Nothing goes on in it, and what comes to it waits, until it thaws. */
  freeze(process: SimProcess): void {
    process.thawed ??= Promise.withResolvers();
  }

  thaw(process: SimProcess): void {
    process.thawed?.resolve();
    process.thawed = null;
  }

  /** A point where a process may die; resolves only for the living. */
  step(process: SimProcess): Promise<void> {
    if (process.isAlive && process.stepsLeft !== null) {
      process.stepsLeft -= 1;
      if (process.stepsLeft <= 0) this.kill(process);
    }
    return process.isAlive ? Promise.resolve() : never();
  }

  kill(process: SimProcess): void {
    if (!process.isAlive) return;
    process.isAlive = false;
    this.#timers = this.#timers.filter((timer) => timer.owner !== process);
    this.died(process);
  }

  /** Counts real asynchronous work; its result reaches only a living process. */
  async real<T>(process: SimProcess, work: () => Promise<T>): Promise<T> {
    if (!process.isAlive) return never();
    this.#underWay += 1;
    const counted = work().finally(() => {
      this.#underWay -= 1;
      this.#activity += 1;
      this.#ended.resolve();
      this.#ended = Promise.withResolvers();
    });
    return this.virtual(process, counted);
  }

  /** What failed in a living process without anybody to hear of it. */
  readonly failures: unknown[] = [];

  /** Gives a promise an owner: its failure counts unless its process is dead. */
  own(process: SimProcess, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (process.isAlive) this.failures.push(error);
    });
  }

  /** Waits for something in virtual time; its result reaches only a living process. */
  async virtual<T>(process: SimProcess, waiting: Promise<T>): Promise<T> {
    const [outcome] = await Promise.allSettled([waiting]);
    await process.thawed?.promise;
    if (!process.isAlive) return never();
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  }

  clockOf(process: SimProcess | null): Clock {
    const after = (ms: number, fire: () => void) => this.#after({ ms, fire, owner: process });
    return {
      now: () => this.#now,
      after,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal.aborted) {
            reject(signal.reason);
            return;
          }
          const onAbort = () => {
            cancel();
            reject(signal.reason);
          };
          const cancel = after(ms, () => {
            signal.removeEventListener("abort", onAbort);
            resolve();
          });
          signal.addEventListener("abort", onAbort, { once: true });
        }),
    };
  }

  /** Lets everything happen until `isDone` or `limitMs` of virtual time; false when the limit was reached. */
  async runUntil(isDone: () => boolean, limitMs: number): Promise<boolean> {
    const end = this.#now + limitMs;
    for (;;) {
      await this.#settle();
      if (isDone()) return true;
      const [next] = this.#timers
        .filter(({ owner }) => owner === null || owner.thawed === null)
        .toSorted((a, b) => a.at - b.at || a.order - b.order);
      if (next === undefined || next.at > end) return false;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.fire();
    }
  }

  #after({ ms, fire, owner }: { ms: number; fire: () => void; owner: SimProcess | null }): () => void {
    if (owner !== null && !owner.isAlive) return () => {};
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, fire, owner };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Waits until no real work is under way and none begins, counted or not. */
  async #settle(): Promise<void> {
    do await this.#settleCounted();
    while (!(await this.isOutsideQuiet()));
  }

  async #settleCounted(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      const before = this.#activity;
      if (this.#underWay > 0) await this.#ended.promise;
      await new Promise<void>((resolve) => setImmediate(resolve));
      quiet = this.#underWay === 0 && this.#activity === before ? quiet + 1 : 0;
    }
  }
}
