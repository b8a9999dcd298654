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
}

/**
 * Virtual time for whole conversations. Real asynchronous work (the database) is counted; the clock
 * moves only when nothing is under way, so equal seeds give equal histories.
 */
export class World {
  readonly random: Random;
  #now = 1_800_000_000_000;
  #order = 0;
  #timers: Timer[] = [];
  #underWay = 0;
  #activity = 0;
  /** Steps until the current process is killed; null: it lives. */
  #killAfter: number | null = null;
  #current: SimProcess | null = null;

  constructor(random: Random) {
    this.random = random;
  }

  now(): number {
    return this.#now;
  }

  /** A new process; `killAfter` is the number of steps it lives. */
  spawn(killAfter: number | null): SimProcess {
    this.#killAfter = killAfter;
    this.#current = { isAlive: true };
    return this.#current;
  }

  /** The process that lives now dies so many steps from here. */
  dieAfter(process: SimProcess, steps: number): void {
    if (process === this.#current) this.#killAfter = steps;
  }

  /** A point where a process may die; resolves only for the living. */
  step(process: SimProcess): Promise<void> {
    if (process === this.#current && process.isAlive && this.#killAfter !== null) {
      this.#killAfter -= 1;
      if (this.#killAfter <= 0) this.kill(process);
    }
    return process.isAlive ? Promise.resolve() : never();
  }

  kill(process: SimProcess): void {
    process.isAlive = false;
    this.#killAfter = null;
    this.#timers = this.#timers.filter((timer) => timer.owner !== process);
  }

  /** Counts real asynchronous work; its result reaches only a living process. */
  async real<T>(process: SimProcess, work: () => Promise<T>): Promise<T> {
    if (!process.isAlive) return never();
    this.#underWay += 1;
    const counted = work().finally(() => {
      this.#underWay -= 1;
      this.#activity += 1;
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
    try {
      const value = await waiting;
      return process.isAlive ? value : await never();
    } catch (error) {
      if (!process.isAlive) return never();
      throw error;
    }
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
      const next = this.#timers.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
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

  /** Waits until no real work is under way and none begins. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      const before = this.#activity;
      await new Promise<void>((resolve) => setImmediate(resolve));
      quiet = this.#underWay === 0 && this.#activity === before ? quiet + 1 : 0;
    }
  }
}
