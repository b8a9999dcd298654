/** Signals when jobs are due. It may be late, early or silent, because the scheduler also checks by itself. */
export interface Ticker {
  /** Calls `onTick` from now on for the times set. */
  start(onTick: (jobId: string) => void): Promise<void>;
  /** Replaces the time set for the job. `at` is in milliseconds since the epoch. */
  set(jobId: string, at: number): Promise<void>;
  clear(jobId: string): Promise<void>;
  stop(): Promise<void>;
}
