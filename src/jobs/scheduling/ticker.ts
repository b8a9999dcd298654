/** Says when jobs are due. It may be late, early or silent: the scheduler looks for itself, too. */
export interface Ticker {
  /** From now on `onTick` is called for what is set. */
  start(onTick: (jobId: string) => void): Promise<void>;
  /** In place of what was set for the job. `at` in milliseconds since the epoch. */
  set(jobId: string, at: number): Promise<void>;
  clear(jobId: string): Promise<void>;
  stop(): Promise<void>;
}
