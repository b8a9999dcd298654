import { KeyedMutex } from "../../core/keyed-mutex.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { JobRow } from "../../core/store/jobs.ts";
import { dueBetween, nextDue, readSchedule, type Schedule } from "../calendar/schedule.ts";
import {
  type Arrived,
  type BeginScope,
  beginDue,
  beginWaiting,
  reportRefusal,
  reportUnreadable,
} from "./begin-occurrence.ts";
import { cancelRetries } from "./cancelled-retries.ts";
import type { JobScope } from "./job-scope.ts";
import { catchesUp, jitterOf, ON_TIME_MS } from "./occurrence.ts";

type Scope = BeginScope &
  Pick<JobScope, "ticker" | "memberOf"> & { readonly cluster: Pick<JobScope["cluster"], "size"> };

/** Maximum number of missed due times of one job that get a row each. */
const MAX_MISSED = 500;
/** If a job is accounted to more than this far ahead, the clock was wrong then. In milliseconds. */
const TOO_FAR_AHEAD_MS = 24 * 3_600_000;
/** Interval of checking for due times without a tick. In milliseconds. */
const OVERDUE_EVERY_MS = 30_000;

/**
 * Gives each due time of each job its row, once. A tick only means that a job has to be checked: which due times have
 * come is found by comparing the schedule with how far the job is accounted for. Late, early and lost ticks, a stopped
 * clock and a downtime are therefore all handled alike.
 */
export class JobScheduler {
  readonly #options: Scope;
  /** Serialises the checks of each job. */
  readonly #checks = new KeyedMutex();
  /** Next due time of each job. In milliseconds since the epoch. */
  readonly #dueAt = new Map<string, number>();
  /** Since when due jobs have waited because their owner could not be looked up; these are late, not missed. */
  readonly #heldUp = new Map<string, number>();
  #cancelCheck: (() => void) | null = null;
  #isStopped = false;

  constructor(options: Scope) {
    this.#options = options;
  }

  /** Handles what came due while no process ran. */
  async start(): Promise<void> {
    const { store, ticker } = this.#options;
    await ticker.start((jobId) => this.#tick(jobId));
    const { jobs, broken } = await store.jobs.all();
    for (const job of [...broken, ...jobs]) await this.check(job.id);
    for (const jobId of await store.occurrences.waitingJobs()) await beginWaiting(jobId, this.#options);
    this.#checkLater();
  }

  /** Finishes what has begun and claims nothing more, so that another process can. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelCheck?.();
    await this.#checks.idle();
    await this.#options.ticker.stop();
  }

  /** Runs what is due and sets the next tick; also called after changes. Never rejects, so a job stops no other. */
  check(jobId: string): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    const check = async () => {
      try {
        await this.#check(jobId);
      } catch (error) {
        const { log, runtime } = this.#options;
        log.error({ err: toAppError(error), jobId }, "job_not_scheduled");
        // Marks the job as due, or nothing would check it again.
        this.#dueAt.set(jobId, runtime.clock.now());
      }
    };
    return this.#checks.run(jobId, check);
  }

  async #check(jobId: string): Promise<void> {
    const { store, runtime, ticker, log } = this.#options;
    const job = await store.jobs.get(jobId);
    this.#dueAt.delete(jobId);
    if (job === null) await reportUnreadable(jobId, this.#options);
    if (!job?.enabled) return ticker.clear(jobId);
    const read = readSchedule(job);
    if (read.type === "refused") {
      log.error({ jobId, reason: read.reason }, "job_unreadable");
      await ticker.clear(jobId);
      return reportRefusal(job, read.reason, this.#options);
    }
    const now = runtime.clock.now();
    if (job.accountedTo > now + TOO_FAR_AHEAD_MS) {
      log.warn({ jobId, accountedTo: job.accountedTo }, "job_clock_was_ahead");
      await store.transaction(async (tx) => {
        await tx.jobs.accountAnew(jobId, now);
        await cancelRetries(tx, jobId, { message: "the clock was set back before its next attempt", at: now });
      });
      await beginWaiting(jobId, this.#options);
      return this.#setTick(job, read.schedule, now);
    }
    const heldUp = this.#heldUp.get(jobId) ?? now;
    const arrived = arrivedBy(now, { job, schedule: read.schedule, heldUp });
    if (arrived !== null) {
      this.#heldUp.set(jobId, heldUp);
      // The owner has to be known: while lookups fail, this rejects, and the job stays due.
      await this.#options.memberOf(job.thread, job.ownerId);
      await beginDue(arrived, this.#options);
    }
    this.#heldUp.delete(jobId);
    await this.#setTick(job, read.schedule, arrived?.accountedTo ?? job.accountedTo);
  }

  async #setTick(job: JobRow, schedule: Schedule, accountedTo: number): Promise<void> {
    const due = nextDue(schedule, accountedTo);
    if (due === null) return this.#options.ticker.clear(job.id);
    const at = due + jitterOf(job, schedule, due);
    this.#dueAt.set(job.id, at);
    await this.#options.ticker.set(job.id, at);
  }

  #tick(jobId: string): void {
    // `check` never rejects.
    this.check(jobId).catch(() => undefined);
  }

  #checkLater(): void {
    if (this.#isStopped) return;
    const { clock } = this.#options.runtime;
    const before = clock.now();
    this.#cancelCheck = clock.after(OVERDUE_EVERY_MS, () => {
      const isSetBack = clock.now() < before;
      const overdue = [...this.#dueAt].filter(([, at]) => isSetBack || at < clock.now()).map(([jobId]) => jobId);
      for (const jobId of overdue) this.#tick(jobId);
      if (this.#options.cluster.size() > 1) this.#lookAtChanged(before);
      this.#checkLater();
    });
  }

  /** Checks jobs that other processes changed, since their notification may be lost. */
  #lookAtChanged(since: number): void {
    const { store, log } = this.#options;
    const look = async () => {
      for (const jobId of await store.jobs.changedSince(since - OVERDUE_EVERY_MS)) await this.check(jobId);
    };
    look().catch((error: unknown) => log.warn({ err: toAppError(error) }, "changed_jobs_not_read"));
  }
}

/** `heldUp`: since when the job has been due and waiting, or now. In milliseconds since the epoch. */
type Due = { readonly job: JobRow; readonly schedule: Schedule; readonly heldUp: number };

/** The due times since the job was last accounted for; null if there are none. */
function arrivedBy(now: number, { job, schedule, heldUp }: Due): Arrived | null {
  const { times, isCut } = dueBetween(schedule, { after: job.accountedTo, until: now }, MAX_MISSED);
  const come = times.filter((due) => due + jitterOf(job, schedule, due) <= now);
  const newest = come.at(-1);
  if (newest === undefined) return null;
  const isOnTime = heldUp - newest <= ON_TIME_MS + job.jitterMs;
  const runs = isOnTime || catchesUp(job, schedule) ? newest : null;
  return { job, missed: runs === null ? come : come.slice(0, -1), isCut, runs, accountedTo: newest };
}
