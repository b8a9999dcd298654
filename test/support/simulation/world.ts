import type { Clock, Random } from "../../../src/core/protocol/runtime.ts";

/** A promise for results that a killed process never receives. */
function never<T>(): Promise<T> {
  return new Promise(() => {});
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
  /** Null if it belongs to the world, e.g. a message in transit that arrives whatever process is dead. */
  readonly owner: SimProcess | null;
}

/** A process of the program in the simulation. It dies between two steps, and loses all that it awaits. */
export interface SimProcess {
  isAlive: boolean;
  /** Remaining steps until it is killed; null if it is not killed. */
  stepsLeft: number | null;
  /** Resolves when it thaws; null if it is not frozen. */
  thawed: PromiseWithResolvers<void> | null;
}

/**
 * Virtual time for whole conversations. Real asynchronous work (the database) is counted, and the clock moves only when
 * none is in progress, so equal seeds give equal histories.
 */
export class World {
  readonly random: Random;
  /** Called when a process dies. */
  died: (process: SimProcess) => void = () => {};
  /** Whether uncounted real-time work is idle too. */
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

  /** Creates a process; `killAfter` is the number of steps that it lives. */
  spawn(killAfter: number | null): SimProcess {
    return { isAlive: true, stepsLeft: killAfter, thawed: null };
  }

  /** Freezes a process: it makes no progress, and its events wait until it thaws. */
  freeze(process: SimProcess): void {
    process.thawed ??= Promise.withResolvers();
  }

  thaw(process: SimProcess): void {
    process.thawed?.resolve();
    process.thawed = null;
  }

  /** A point at which a process may die; resolves only for the living. */
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

  /** Counts real asynchronous work, whose result reaches only a living process. */
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

  /** Failures in living processes that nothing handled. */
  readonly failures: unknown[] = [];

  /** Owns a promise: its failure counts unless its process is dead. */
  own(process: SimProcess, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (process.isAlive) this.failures.push(error);
    });
  }

  /** Waits for something in virtual time, whose result reaches only a living process. */
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

  /** Runs everything until `isDone` or for `limitMs` of virtual time; false if the limit was reached. */
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

  /** Waits until no real work, counted or not, is in progress or starts. */
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
