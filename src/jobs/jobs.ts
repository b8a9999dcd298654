import type { JobControl } from "../core/jobs/job-control.ts";
import type { JobRuns } from "../core/jobs/job-runs.ts";
import { toAppError } from "../core/protocol/errors.ts";
import { createJobControl } from "./manage/manage.ts";
import { LEFTOVERS_EVERY_MS, stopLeftovers } from "./scheduling/background-timeout.ts";
import { BreeTicker } from "./scheduling/bree-ticker.ts";
import type { JobScope } from "./scheduling/job-scope.ts";
import { createJobsFile } from "./scheduling/jobs-file.ts";
import { createRefusals } from "./scheduling/refusal.ts";
import { createJobRuns } from "./scheduling/runs.ts";
import { JobScheduler } from "./scheduling/scheduler.ts";
import type { Ticker } from "./scheduling/ticker.ts";

export interface JobsOptions extends Omit<JobScope, "scheduler" | "refusalOf" | "ticker"> {
  /** How long the log of occurrences is kept. Days. */
  readonly logDays: number;
  /** Bree's, but for tests on virtual time. */
  readonly ticker?: Ticker;
}

export interface Jobs {
  /** What views of jobs' runs need. */
  readonly runs: JobRuns;
  /** What commands, buttons and tools need. */
  readonly control: JobControl;
  /** Begins to schedule, after what came due meanwhile; the engine must have started. Answers problems of the file of jobs. */
  start(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How often the file of jobs is looked at. Milliseconds. */
const READ_FILE_EVERY_MS = 60_000;

/** Scheduled work: what is due when, its runs, and managing it. */
export function createJobs(options: JobsOptions): Jobs {
  const { store, runtime, log, logDays } = options;
  const ticker = options.ticker ?? new BreeTicker({ clock: runtime.clock, log });
  const refusalOf = createRefusals(options);
  const scheduler = new JobScheduler({ ...options, ticker, refusalOf });
  const scope: JobScope = { ...options, ticker, refusalOf, scheduler };
  const readFile = createJobsFile(scope);
  const chores = new Set<() => void>();
  const underWay = new Set<Promise<void>>();
  let isStopped = false;

  const forget = async () => {
    const before = runtime.clock.now() - logDays * DAY_MS;
    const forgotten = await store.transaction((tx) => tx.occurrences.forgetBefore(before));
    if (forgotten > 0) log.info({ forgotten, logDays }, "job_log_forgotten");
  };
  /** Again and again; one failure is no reason to stop. */
  const every = (ms: number, chore: () => Promise<unknown>) => {
    if (isStopped) return;
    const cancel = runtime.clock.after(ms, () => {
      chores.delete(cancel);
      const work = chore()
        .then(
          () => undefined,
          (error: unknown) => log.warn({ err: toAppError(error) }, "job_chore_failed"),
        )
        .finally(() => {
          underWay.delete(work);
          every(ms, chore);
        });
      underWay.add(work);
    });
    chores.add(cancel);
  };

  return {
    runs: createJobRuns(scope),
    control: createJobControl(scope),
    async start() {
      // What has left the file is not due any more.
      const problems = await readFile();
      await scheduler.start();
      every(HOUR_MS, forget);
      every(READ_FILE_EVERY_MS, readFile);
      every(LEFTOVERS_EVERY_MS, () => stopLeftovers(options));
      return problems;
    },
    async stop() {
      isStopped = true;
      for (const cancel of chores) cancel();
      await Promise.all(underWay);
      await scheduler.stop();
    },
  };
}
