import type { JobControl } from "../core/jobs/job-control.ts";
import type { JobRuns } from "../core/jobs/job-runs.ts";
import { toAppError } from "../core/protocol/errors.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import type { SessionEngine } from "../core/sessions/engine.ts";
import type { Store } from "../core/store/store.ts";
import { BreeTicker } from "./bree-ticker.ts";
import { syncJobsFile } from "./jobs-file.ts";
import { createJobControl } from "./manage.ts";
import { createJobRuns } from "./runs.ts";
import { JobScheduler } from "./scheduler.ts";
import type { Ticker } from "./ticker.ts";

export interface JobsOptions {
  readonly store: Store;
  readonly engine: SessionEngine;
  readonly runtime: Runtime;
  readonly log: Log;
  /** As in access rules. */
  readonly admins: readonly string[];
  readonly approvers: readonly string[];
  /** The agent that answers in a channel. */
  readonly agentOf: (channelKey: string) => string;
  readonly agents: () => ReadonlySet<string>;
  /** IANA name. */
  readonly defaultTimezone: string;
  /** Where jobs are kept in a file; nothing is there where nobody does. */
  readonly file: string;
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

/** Scheduled work: what is due when, its runs, and managing it. */
export function createJobs(options: JobsOptions): Jobs {
  const { store, runtime, log, logDays } = options;
  const ticker = options.ticker ?? new BreeTicker({ clock: runtime.clock, log });
  const scheduler = new JobScheduler({ ...options, ticker });
  let cancelForgetting: (() => void) | null = null;

  const forget = async () => {
    const forgotten = await store.transaction((tx) =>
      tx.occurrences.forgetBefore(runtime.clock.now() - logDays * DAY_MS),
    );
    if (forgotten > 0) log.info({ forgotten, logDays }, "job_log_forgotten");
  };
  const forgetLater = () => {
    cancelForgetting = runtime.clock.after(HOUR_MS, () => {
      forget().catch((error: unknown) => log.warn({ err: toAppError(error) }, "job_log_not_forgotten"));
      forgetLater();
    });
  };

  return {
    runs: createJobRuns({ ...options, scheduler }),
    control: createJobControl({ ...options, scheduler }),
    async start() {
      await scheduler.start();
      forgetLater();
      return syncJobsFile({ ...options, path: options.file, scheduler });
    },
    async stop() {
      cancelForgetting?.();
      await scheduler.stop();
    },
  };
}
