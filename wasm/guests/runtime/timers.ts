import { now } from "./clock.ts";

interface Timer {
  readonly id: number;
  /** Milliseconds since the epoch. */
  at: number;
  readonly run: () => void;
  /** Milliseconds between runs; null for a timer that runs once. */
  readonly everyMs: number | null;
}

/** In order of creation, which is also the order for equal times. */
const timers = new Map<number, Timer>();
let lastId = 0;

function add(run: () => void, delay: unknown, repeats: boolean): number {
  const ms = Math.max(Number(delay) || 0, repeats ? 1 : 0);
  const id = ++lastId;
  timers.set(id, { id, at: now() + ms, run, everyMs: repeats ? ms : null });
  return id;
}

function clear(id: unknown): void {
  timers.delete(Number(id));
}

Object.assign(globalThis, {
  setTimeout: (run: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) =>
    add(() => run(...args), delay, false),
  setInterval: (run: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) =>
    add(() => run(...args), delay, true),
  setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => add(() => run(...args), 0, false),
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: clear,
});

/**
 * Runs the timer that is due first. If none is due, returns the milliseconds until the next, or null if there is none.
 */
export function runDueTimer(): number | null {
  let next: Timer | null = null;
  for (const timer of timers.values()) if (next === null || timer.at < next.at) next = timer;
  if (next === null) return null;
  const waitMs = next.at - now();
  if (waitMs > 0) return waitMs;
  if (next.everyMs === null) timers.delete(next.id);
  else next.at = now() + next.everyMs;
  next.run();
  return 0;
}
