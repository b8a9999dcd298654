import type { JobControl } from "../core/jobs/job-control.ts";
import type { JobRuns } from "../core/jobs/job-runs.ts";
import { createJobControl } from "./manage/manage.ts";
import { BreeTicker } from "./scheduling/bree-ticker.ts";
import { doChores } from "./scheduling/chores.ts";
import type { JobScope } from "./scheduling/job-scope.ts";
import { createRefusals } from "./scheduling/refusal.ts";
import { createJobRuns } from "./scheduling/runs.ts";
import { JobScheduler } from "./scheduling/scheduler.ts";
import type { Ticker } from "./scheduling/ticker.ts";

export interface JobsOptions extends Omit<JobScope, "scheduler" | "refusalOf" | "ticker"> {
  /** How long the log of occurrences is kept. Days. */
  readonly logDays: number;
  /** Takes over jobs that are kept elsewhere (`JobControl.kept`), and answers new problems; it never rejects. */
  readonly readKept: () => Promise<readonly string[]>;
  /** Bree's, but for tests on virtual time. */
  readonly ticker?: Ticker;
}

export interface Jobs {
  /** What views of jobs' runs need. */
  readonly runs: JobRuns;
  /** What commands, buttons and tools need. */
  readonly control: JobControl;
  /** Begins to schedule, after what came due meanwhile; the engine must have started. Answers problems of jobs that are kept elsewhere. */
  start(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Scheduled work: what is due when, its runs, and managing it. */
export function createJobs(options: JobsOptions): Jobs {
  const { runtime, log, logDays, cluster, readKept } = options;
  const ticker = options.ticker ?? new BreeTicker({ clock: runtime.clock, log });
  const refusalOf = createRefusals(options);
  const own = new JobScheduler({ ...options, ticker, refusalOf });
  const scheduler = toldToAll(own, cluster);
  const scope: JobScope = { ...options, ticker, refusalOf, scheduler };
  let giveUpChores: (() => Promise<void>) | null = null;
  let stopHearing: (() => void) | null = null;

  return {
    runs: createJobRuns(scope),
    control: createJobControl(scope),
    async start() {
      // What is kept no longer is not due any more.
      const problems = await readKept();
      await own.start();
      stopHearing = cluster.hear("jobs", (jobId) => void own.look(jobId).catch(() => undefined)); // it never rejects
      giveUpChores = cluster.hold("jobs", (signal) => doChores({ ...scope, logDays, readKept }, signal));
      return problems;
    },
    async stop() {
      stopHearing?.();
      await giveUpChores?.();
      await own.stop();
    },
  };
}

/** Any process may give a due time its run: what one has changed of a job, all set their ticks by. */
function toldToAll(own: JobScheduler, cluster: JobScope["cluster"]): JobScope["scheduler"] {
  return {
    async look(jobId) {
      await own.look(jobId);
      await cluster.tell("jobs", jobId);
    },
    runNow: (job, at) => own.runNow(job, at),
    startWaiting: (jobId) => own.startWaiting(jobId),
  };
}
