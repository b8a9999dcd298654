import type { DeliveryResult } from "../../core/engine/engine.ts";
import type { SessionSettings } from "../../core/events/session-settings.ts";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import type { CancelCause } from "../../core/protocol/cancel-cause.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { OccurrenceRow } from "../../core/store/job-occurrences.ts";
import type { JobAddress, JobRow } from "../../core/store/jobs.ts";
import { JOB_KEY } from "../../core/store/sessions.ts";
import type { StoreTransaction } from "../../core/store/store.ts";
import { type StoppedRun, stopRun } from "../../core/subagents/children.ts";
import { wakeReleased } from "../../core/subagents/queued-children.ts";
import { dueBetween, nextDue, readSchedule, type Schedule } from "../calendar/schedule.ts";
import { cancelRetries } from "./cancelled-retries.ts";
import { JOB_DEFAULTS } from "./job-input.ts";
import type { JobScope } from "./job-scope.ts";
import { readJobSkill } from "./job-skill.ts";
import {
  alreadyRunning,
  attemptEvent,
  catchesUp,
  jitterOf,
  ON_TIME_MS,
  type OverlapVerdict,
  overlapVerdict,
} from "./occurrence.ts";

type Scope = { readonly cluster: Pick<JobScope["cluster"], "size"> } & Pick<
  JobScope,
  "store" | "engine" | "runtime" | "log" | "ticker" | "agentOf" | "refusalOf" | "memberOf"
>;

/** Maximum number of missed due times of one job that get a row each. */
const MAX_MISSED = 500;
/** If a job is accounted to more than this far ahead, the clock was wrong then. In milliseconds. */
const TOO_FAR_AHEAD_MS = 24 * 3_600_000;
/** Interval of checking for due times without a tick. In milliseconds. */
const OVERDUE_EVERY_MS = 30_000;

/** The occurrence that a run is for. */
interface NewRun {
  readonly id: string;
  readonly scheduledFor: number;
  /** Why it must not run; if omitted, this is determined when the run is delivered. */
  readonly refusal?: string | null;
}

/** Assigns the run to the occurrence; false if the occurrence must not have one. */
type OccurrenceClaim = (tx: StoreTransaction, sessionId: string) => Promise<boolean>;

/** Runs stopped to make room, and sub-agents whose turn comes because of that. */
interface Stopped {
  readonly runs: readonly StoppedRun[];
  readonly released: readonly string[];
}

/** The cause given to runs that are stopped to make room. */
const OVERLAP: CancelCause = { by: "overlap", with: "due_time" };

/** The end of an occurrence that has not begun, or waits for another attempt, when the next due time comes. */
const WITHDRAWN = {
  status: "cancelled",
  message: "the next due time came before its next attempt",
  error: null,
  durationMs: null,
  reportHash: null,
} as const;

/** Due times that have come, and what to do with them. */
interface Arrived {
  readonly job: JobRow;
  /** Oldest first. */
  readonly missed: readonly number[];
  readonly isCut: boolean;
  /** The due time that is run; null if all are missed. */
  readonly runs: number | null;
  readonly accountedTo: number;
}

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
    for (const jobId of await store.occurrences.waitingJobs()) await this.startWaiting(jobId);
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

  /** Runs a job for a person, independently of its schedule. Null if it has begun, otherwise why not. */
  async runNow(job: JobRow, at: number): Promise<string | null> {
    const { store } = this.#options;
    const [open] = await store.occurrences.open(job.id);
    if (open !== undefined) return alreadyRunning(open);
    const id = this.#options.runtime.ids.next("occ");
    const outcome = await this.#deliver(job, { id, scheduledFor: at }, async (tx, sessionId) => {
      if (await tx.occurrences.has(job.id, at)) return false;
      if ((await tx.occurrences.open(job.id)).length > 0) return false;
      await tx.occurrences.add({ ...this.#newRow(job, at), id, trigger: "person", status: "running", sessionId });
      return true;
    });
    if (outcome !== "changed") return outcome === "new" ? null : "It is already running.";
    const now = await store.jobs.get(job.id);
    return now === null ? "It has been removed." : this.runNow(now, at);
  }

  /** Starts the longest-waiting occurrence after the run before it has ended. */
  async startWaiting(jobId: string): Promise<void> {
    const { store } = this.#options;
    const [first] = await store.occurrences.open(jobId);
    const job = first?.status === "waiting" ? await store.jobs.get(jobId) : null;
    if (job === null || first === undefined) return;
    const outcome = await this.#deliver(job, first, async (tx, sessionId) => {
      const [still] = await tx.occurrences.open(jobId);
      return still?.id === first.id && tx.occurrences.move(first.id, "waiting", { status: "running", sessionId });
    });
    if (outcome === "changed") await this.startWaiting(jobId);
  }

  async #check(jobId: string): Promise<void> {
    const { store, runtime, ticker, log } = this.#options;
    const job = await store.jobs.get(jobId);
    this.#dueAt.delete(jobId);
    if (job === null) await this.#reportUnreadable(jobId);
    if (!job?.enabled) return ticker.clear(jobId);
    const read = readSchedule(job);
    if (read.type === "refused") {
      log.error({ jobId, reason: read.reason }, "job_unreadable");
      await ticker.clear(jobId);
      return this.#refuse(job, read.reason);
    }
    const now = runtime.clock.now();
    if (job.accountedTo > now + TOO_FAR_AHEAD_MS) {
      log.warn({ jobId, accountedTo: job.accountedTo }, "job_clock_was_ahead");
      await store.transaction(async (tx) => {
        await tx.jobs.accountAnew(jobId, now);
        await cancelRetries(tx, jobId, { message: "the clock was set back before its next attempt", at: now });
      });
      await this.startWaiting(jobId);
      return this.#setTick(job, read.schedule, now);
    }
    const heldUp = this.#heldUp.get(jobId) ?? now;
    const arrived = arrivedBy(now, { job, schedule: read.schedule, heldUp });
    if (arrived !== null) {
      this.#heldUp.set(jobId, heldUp);
      // The owner has to be known: while lookups fail, this rejects, and the job stays due.
      await this.#options.memberOf(job.thread, job.ownerId);
      await this.#account(arrived);
    }
    this.#heldUp.delete(jobId);
    await this.#setTick(job, read.schedule, arrived?.accountedTo ?? job.accountedTo);
  }

  /** Reports, once, a job that cannot be due because its time zone is gone; a run with this refusal pauses it. */
  async #refuse(job: JobRow, refusal: string): Promise<void> {
    const id = this.#options.runtime.ids.next("occ");
    const scheduledFor = this.#options.runtime.clock.now();
    const claim: OccurrenceClaim = async (tx, sessionId) => {
      if ((await tx.occurrences.open(job.id)).length > 0) return false;
      await tx.occurrences.add({ ...this.#newRow(job, scheduledFor), id, status: "running", sessionId });
      return true;
    };
    await this.#deliver(job, { id, scheduledFor, refusal }, claim);
  }

  /** Pauses a job whose row cannot be read, and reports that in its channel if the row still names one. */
  async #reportUnreadable(jobId: string): Promise<void> {
    const { store, runtime, log } = this.#options;
    const unreadable = await store.jobs.unreadable(jobId);
    if (unreadable === null) return;
    const { problem, place } = unreadable;
    log.error({ jobId, problem }, "job_unreadable");
    if (place?.enabled !== true) return;
    const job = placeholderJob(place);
    const at = runtime.clock.now();
    const id = runtime.ids.next("occ");
    const refusal = `Its row in the database can't be read (${problem}). An operator must fix it.`;
    await this.#deliver(job, { id, scheduledFor: at, refusal }, async (tx, sessionId) => {
      await tx.jobs.pause(jobId, { by: "refusal", reason: refusal }, at);
      await tx.occurrences.add({ ...this.#newRow(job, at), id, status: "running", sessionId });
      return true;
    });
  }

  async #setTick(job: JobRow, schedule: Schedule, accountedTo: number): Promise<void> {
    const due = nextDue(schedule, accountedTo);
    if (due === null) return this.#options.ticker.clear(job.id);
    const at = due + jitterOf(job, schedule, due);
    this.#dueAt.set(job.id, at);
    await this.#options.ticker.set(job.id, at);
  }

  /** Writes in one transaction the missed rows, the row to run, its session and the event that begins it. */
  async #account(arrived: Arrived): Promise<void> {
    const { store, engine, log } = this.#options;
    const { job, runs, accountedTo, missed } = arrived;
    if (missed.length > 0) log.warn({ jobId: job.id, missed: missed.length }, "job_missed");
    if (runs === null) {
      await store.transaction(async (tx) => {
        if (await tx.jobs.accountTo(job.id, accountedTo)) await this.#addMissed(tx, arrived);
      });
      return;
    }
    const id = this.#options.runtime.ids.next("occ");
    let verdict: OverlapVerdict = { type: "wait" };
    let stopped: Stopped = { runs: [], released: [] };
    const outcome = await this.#deliver(job, { id, scheduledFor: runs }, async (tx, sessionId) => {
      if (!(await tx.jobs.accountTo(job.id, accountedTo))) return false;
      await this.#addMissed(tx, arrived);
      // A clock that was set back reaches the same time again, or a person's run has the same time.
      if (await tx.occurrences.has(job.id, runs)) return false;
      verdict = overlapVerdict(job, await tx.occurrences.open(job.id));
      if (verdict.type === "run") stopped = await this.#stopOthers(tx, verdict.stops);
      await tx.occurrences.add({ ...this.#newRow(job, runs), id, ...statusOf(verdict, sessionId) });
      return verdict.type === "run";
    });
    log.info({ jobId: job.id, occurrenceId: id, scheduledFor: runs, verdict: verdict.type, outcome }, "job_due");
    // The stops are already stored, whatever happens to this process; this only makes them immediate.
    for (const { sessionId, runId } of stopped.runs) await engine.cancel(sessionId, runId, OVERLAP);
    await wakeReleased(stopped.released, engine);
  }

  async #addMissed(tx: StoreTransaction, { job, missed, isCut }: Arrived): Promise<void> {
    for (const [index, scheduledFor] of missed.entries()) {
      if (await tx.occurrences.has(job.id, scheduledFor)) continue;
      const message = isCut && index === 0 ? "I was away; earlier missed times are not listed" : "I was away";
      const id = this.#options.runtime.ids.next("occ");
      await tx.occurrences.add({ ...this.#newRow(job, scheduledFor), id, status: "missed", message });
    }
  }

  #newRow({ id: jobId, name: jobName, channelId }: JobRow, scheduledFor: number) {
    const at = this.#options.runtime.clock.now();
    return { jobId, jobName, channelId, scheduledFor, trigger: "schedule" as const, at };
  }

  /** Delivers a run. “changed” if the job has changed since it was read; whoever changed it has it checked. */
  async #deliver(job: JobRow, run: NewRun, claim: OccurrenceClaim): Promise<DeliveryResult | "changed"> {
    const { engine, runtime, agentOf, refusalOf } = this.#options;
    const { refusal = (await refusalOf(job))?.reason ?? null, ...occurrence } = run;
    const at = runtime.clock.now();
    const sessionId = runtime.ids.next("ses");
    const event = attemptEvent(job, { ...occurrence, attempt: 1 }, { at, refusal });
    let isChanged = false;
    const delivered = await engine.deliver(sessionId, event, async (tx) => {
      await tx.jobs.lock(job.id);
      // A run with a refusal does nothing, and its job's row may be unreadable.
      isChanged = run.refusal === undefined && (await tx.jobs.get(job.id))?.updatedAt !== job.updatedAt;
      if (isChanged || !(await claim(tx, sessionId))) return false;
      await tx.sessions.createUnder(`${JOB_KEY}${occurrence.id}`, {
        id: sessionId,
        thread: job.thread,
        agent: job.agent ?? agentOf(job.channelId),
        settings: {
          ...(job.model === null ? {} : { model: job.model }),
          ...skillSettings(job.skill),
        },
        createdBy: job.ownerId,
        at,
      });
      return true;
    });
    return isChanged ? "changed" : delivered;
  }

  /**
   * For cancel-previous: stops open runs and ends occurrences that wait for an attempt. Happens in the transaction that
   * gives the due time its run, so that no crash leaves two that report.
   */
  async #stopOthers(tx: StoreTransaction, others: readonly OccurrenceRow[]): Promise<Stopped> {
    const runs: StoppedRun[] = [];
    const released: string[] = [];
    for (const { id, sessionId, status } of others) {
      const open = sessionId === null || status !== "running" ? null : await tx.runs.open(sessionId);
      if (sessionId === null || open === null) {
        await tx.occurrences.end(id, { ...WITHDRAWN, at: this.#options.runtime.clock.now() });
        continue;
      }
      const run = { sessionId, runId: open.id };
      const stopped = await stopRun(tx, run, OVERLAP);
      runs.push(run, ...stopped.below);
      released.push(...stopped.released);
    }
    return { runs, released };
  }

  #tick(jobId: string): void {
    // `look` never rejects.
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

function skillSettings(skill: string | null): Pick<SessionSettings, "activeSkill" | "activeSkillLine"> {
  if (skill === null) return {};
  const { name, line } = readJobSkill(skill);
  return { activeSkill: name, ...(line === "" ? {} : { activeSkillLine: line }) };
}

/** A stand-in for an unreadable job. Its run ends before anything but its channel and owner is used. */
function placeholderJob(place: JobAddress): JobRow {
  const never = { cron: null, dueOnce: null, timezone: "UTC", accountedTo: 0, updatedAt: 0 };
  const rest = { prompt: "", source: "chat", pausedBecause: null, failures: 0 } as const;
  return { ...JOB_DEFAULTS, tools: [], ...never, ...rest, ...place };
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

function statusOf(verdict: OverlapVerdict, sessionId: string) {
  switch (verdict.type) {
    case "run":
      return { status: "running" as const, sessionId };
    case "wait":
      return { status: "waiting" as const };
    case "skip":
      return { status: "skipped" as const, message: verdict.why };
    default:
      return assertNever(verdict);
  }
}
