import { toAppError } from "../../core/protocol/errors.ts";
import { sleepUnlessAborted } from "../../core/protocol/runtime.ts";
import { BACKGROUND_EVERY_MS, stopOverdueBackground } from "./background-timeout.ts";
import type { JobScope } from "./job-scope.ts";

interface ChoreScope extends JobScope {
  /** How long the log of occurrences is kept. In days. */
  readonly logDays: number;
  readonly readDeclared: () => Promise<unknown>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Interval of reading the declared jobs. In milliseconds. */
const READ_DECLARED_EVERY_MS = 60_000;
/** Interval of looking for occurrences that still wait although the run before them has ended. In milliseconds. */
const WAITING_EVERY_MS = 30_000;

/** The chores that one process does for all, until the signal aborts. */
export async function doChores(scope: ChoreScope, signal: AbortSignal): Promise<void> {
  const { store, runtime, log, logDays, readDeclared, scheduler } = scope;
  const forget = async () => {
    const before = runtime.clock.now() - logDays * DAY_MS;
    const forgotten = await store.transaction((tx) => tx.occurrences.forgetBefore(before));
    if (forgotten > 0) log.info({ forgotten, logDays }, "job_log_forgotten");
  };
  const startWaiting = async () => {
    for (const jobId of await store.occurrences.waitingJobs()) await scheduler.startWaiting(jobId);
  };
  /** Repeats a chore. A failure does not stop it. */
  const every = async (ms: number, chore: () => Promise<unknown>) => {
    while (await sleepUnlessAborted(runtime.clock, ms, signal)) {
      try {
        await chore();
      } catch (error) {
        log.warn({ err: toAppError(error) }, "job_chore_failed");
      }
    }
  };
  await Promise.all([
    every(HOUR_MS, forget),
    every(READ_DECLARED_EVERY_MS, readDeclared),
    every(BACKGROUND_EVERY_MS, () => stopOverdueBackground(scope)),
    every(WAITING_EVERY_MS, startWaiting),
  ]);
}
