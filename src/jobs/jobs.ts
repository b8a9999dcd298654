import type { JobEvent } from "../core/events/job-event.ts";
import type { JobControl } from "../core/jobs/job-control.ts";
import type { OpenJobReport } from "../core/jobs/job-report.ts";
import type { OpenRunView } from "../core/progress/run-view.ts";
import { createJobControl } from "./manage/manage.ts";
import { openJobRun } from "./runs/job-run-view.ts";
import { JobRuns } from "./runs/job-runs.ts";
import { type BeginScope, beginNow, beginWaiting } from "./scheduling/begin-occurrence.ts";
import { BreeTicker } from "./scheduling/bree-ticker.ts";
import { doChores } from "./scheduling/chores.ts";
import type { JobScope } from "./scheduling/job-scope.ts";
import { createRefusals } from "./scheduling/refusal.ts";
import { JobScheduler } from "./scheduling/scheduler.ts";
import type { Ticker } from "./scheduling/ticker.ts";

export interface JobsOptions extends Omit<JobScope, "scheduler" | "refusalOf" | "ticker"> {
  /** How long the log of occurrences is kept. In days. */
  readonly logDays: number;
  /** Applies the declared jobs (`JobControl.declared`) and returns new problems. Never rejects. */
  readonly readDeclared: () => Promise<readonly string[]>;
  /** Bree's by default; tests on virtual time use another. */
  readonly ticker?: Ticker;
}

export interface Jobs {
  readonly openRun: (openReport: OpenJobReport, event: JobEvent) => OpenRunView;
  /** What commands, buttons and tools need. */
  readonly control: JobControl;
  /**
   * Starts scheduling, with what came due meanwhile, after the engine's start. Returns problems of declared jobs.
   */
  start(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Scheduled work: due times, their runs, and managing jobs. */
export function createJobs(options: JobsOptions): Jobs {
  const { runtime, log, logDays, cluster, readDeclared } = options;
  const ticker = options.ticker ?? new BreeTicker({ clock: runtime.clock, log });
  const refusalOf = createRefusals(options);
  const own = new JobScheduler({ ...options, ticker, refusalOf });
  const scheduler = schedulingOf(own, { ...options, refusalOf });
  const scope: JobScope = { ...options, ticker, refusalOf, scheduler };
  const runs = new JobRuns(scope);
  let releaseChores: (() => Promise<void>) | null = null;
  let unsubscribe: (() => void) | null = null;

  return {
    openRun: (openReport, event) => openJobRun({ clock: runtime.clock, log, jobs: runs, openReport }, event),
    control: createJobControl(scope),
    async start() {
      // Removes jobs that are no longer declared, before they come due.
      const problems = await readDeclared();
      await own.start();
      unsubscribe = cluster.subscribe("jobs", (jobId) => void own.check(jobId).catch(() => undefined)); // never rejects
      releaseChores = cluster.hold("jobs", (signal) => doChores({ ...scope, logDays, readDeclared }, signal));
      return problems;
    },
    async stop() {
      unsubscribe?.();
      await releaseChores?.();
      await own.stop();
    },
  };
}

/** Tells all processes of a changed job, so that they set their ticks, because any of them may start its run. */
function schedulingOf(own: JobScheduler, scope: BeginScope & Pick<JobScope, "cluster">): JobScope["scheduler"] {
  return {
    async check(jobId) {
      await own.check(jobId);
      await scope.cluster.publish("jobs", jobId);
    },
    runNow: (job, at) => beginNow(job, at, scope),
    startWaiting: (jobId) => beginWaiting(jobId, scope),
  };
}
