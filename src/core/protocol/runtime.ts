/**
 * The world outside the program, passed as arguments. Core code never touches the global clock, timers or randomness,
 * so that a whole conversation can run on virtual time from a seed.
 */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason if that aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `fn` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, fn: () => void): () => void;
}

export interface Ids {
  /** A new id that sorts by time of creation, such as `run_01k9…`. The prefix names the kind of thing. */
  next(prefix: string): string;
}

export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

export interface Runtime {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}

/** Sleeps. Returns false if the signal aborts, and does so at once. */
export async function sleepUnlessAborted(
  clock: Pick<Clock, "sleep">,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return !signal.aborted;
}
