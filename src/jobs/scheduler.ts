import { NEXT_DUE_TIME } from "../core/jobs/job-runs.ts";
import { assertNever } from "../core/protocol/assert-never.ts";
import { toAppError } from "../core/protocol/errors.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import type { SessionEngine } from "../core/sessions/engine.ts";
import type { OccurrenceRow } from "../core/store/job-occurrences.ts";
import type { JobRow } from "../core/store/jobs.ts";
import type { Store, StoreTransaction } from "../core/store/store.ts";
import {
  attemptEvent,
  catchesUp,
  jitterOf,
  ON_TIME_MS,
  type OverlapVerdict,
  overlapVerdict,
  scheduleOf,
} from "./occurrence.ts";
import type { RefusalOf } from "./refusal.ts";
import { dueBetween, nextDue, type Schedule } from "./schedule.ts";
import type { Ticker } from "./ticker.ts";

export interface SchedulerOptions {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver" | "cancel">;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly ticker: Ticker;
  /** The agent that answers in a channel. */
  readonly agentOf: (channelKey: string) => string;
  readonly refusalOf: RefusalOf;
}

/** Missed due times of one job that get a row of their own after a time away. */
const MOST_MISSED = 500;
/** How often the scheduler looks for itself whether a due time has come without a tick. Milliseconds. */
const LOOK_EVERY_MS = 30_000;

/** Due times that have come, and what becomes of them. */
interface Arrived {
  readonly job: JobRow;
  /** Oldest first. */
  readonly missed: readonly number[];
  readonly isCut: boolean;
  /** The one that is run; null when all are missed. */
  readonly runs: number | null;
  readonly accountedTo: number;
}

/**
 * Gives each due time of each job its row, once. A tick says no more than that a job is to be looked at: which
 * due times have come is found by comparing its schedule with what it is accounted to, so that late, early
 * and lost ticks, a stopped clock and a time away are all the same.
 */
export class JobScheduler {
  readonly #options: SchedulerOptions;
  /** One job is looked at by one at a time. */
  readonly #looks = new Map<string, Promise<void>>();
  /** When each job is due next. Milliseconds since the epoch. */
  readonly #dueAt = new Map<string, number>();
  #cancelLook: (() => void) | null = null;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Takes up what came due while nobody was there. */
  async start(): Promise<void> {
    const { store, ticker, log } = this.#options;
    await ticker.start((jobId) => this.#tick(jobId));
    const { jobs, broken } = await store.jobs.all();
    for (const job of broken) log.error({ jobId: job.id, problem: job.problem }, "job_unreadable");
    for (const job of jobs) await this.look(job.id);
    for (const jobId of await store.occurrences.waitingJobs()) await this.startWaiting(jobId);
    this.#lookLater();
  }

  async stop(): Promise<void> {
    this.#cancelLook?.();
    this.#cancelLook = () => undefined;
    await this.#options.ticker.stop();
    await Promise.all(this.#looks.values());
  }

  /** Runs what is due and sets the next tick; after each change of a job, too. Never rejects: one job that fails stops no other. */
  look(jobId: string): Promise<void> {
    const looking = (this.#looks.get(jobId) ?? Promise.resolve())
      .then(() => this.#look(jobId))
      .catch((error: unknown) => this.#options.log.error({ err: toAppError(error), jobId }, "job_not_scheduled"))
      .finally(() => {
        if (this.#looks.get(jobId) === looking) this.#looks.delete(jobId);
      });
    this.#looks.set(jobId, looking);
    return looking;
  }

  /** A person's run, beside the schedule. Null when it has begun; else why not, in words. */
  async runNow(job: JobRow, at: number): Promise<string | null> {
    const { store } = this.#options;
    const open = await store.occurrences.open(job.id);
    if (open.length > 0) return "It is running already.";
    const id = this.#options.runtime.ids.next("occ");
    const outcome = await this.#deliver(job, { id, scheduledFor: at }, async (tx, sessionId) => {
      if (await tx.occurrences.has(job.id, at)) return false;
      if ((await tx.occurrences.open(job.id)).length > 0) return false;
      await tx.occurrences.add({ ...this.#newRow(job, at), id, trigger: "person", status: "running", sessionId });
      return true;
    });
    return outcome === "new" ? null : "It is running already.";
  }

  /** The run before is over: the due time that has waited longest begins. */
  async startWaiting(jobId: string): Promise<void> {
    const { store } = this.#options;
    const [first] = await store.occurrences.open(jobId);
    const job = first?.status === "waiting" ? await store.jobs.get(jobId) : null;
    if (job === null || first === undefined) return;
    await this.#deliver(job, first, async (tx, sessionId) => {
      const [still] = await tx.occurrences.open(jobId);
      return still?.id === first.id && tx.occurrences.move(first.id, "waiting", { status: "running", sessionId });
    });
  }

  async #look(jobId: string): Promise<void> {
    const { store, runtime, ticker, log } = this.#options;
    const job = await store.jobs.get(jobId);
    this.#dueAt.delete(jobId);
    if (!job?.enabled) return ticker.clear(jobId);
    const read = scheduleOf(job);
    if (read.type === "refused") {
      log.error({ jobId, reason: read.reason }, "job_unreadable");
      return ticker.clear(jobId);
    }
    const arrived = arrivedBy(runtime.clock.now(), job, read.schedule);
    if (arrived !== null) await this.#account(arrived);
    await this.#setTick(job, read.schedule, arrived?.accountedTo ?? job.accountedTo);
  }

  async #setTick(job: JobRow, schedule: Schedule, accountedTo: number): Promise<void> {
    const due = nextDue(schedule, accountedTo);
    if (due === null) return this.#options.ticker.clear(job.id);
    const at = due + jitterOf(job, due);
    this.#dueAt.set(job.id, at);
    await this.#options.ticker.set(job.id, at);
  }

  /** In one transaction: the rows of what was missed, the row of what is run, its session and the event that begins it. */
  async #account(arrived: Arrived): Promise<void> {
    const { store, log } = this.#options;
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
    const outcome = await this.#deliver(job, { id, scheduledFor: runs }, async (tx, sessionId) => {
      if (!(await tx.jobs.accountTo(job.id, accountedTo))) return false;
      await this.#addMissed(tx, arrived);
      verdict = overlapVerdict(job, await tx.occurrences.open(job.id));
      await tx.occurrences.add({ ...this.#newRow(job, runs), id, ...statusOf(verdict, sessionId) });
      return verdict.type === "run";
    });
    log.info({ jobId: job.id, occurrenceId: id, scheduledFor: runs, verdict: verdict.type, outcome }, "job_due");
    if (outcome === "new") await this.#stopOthers(verdict);
  }

  async #addMissed(tx: StoreTransaction, { job, missed, isCut }: Arrived): Promise<void> {
    for (const [index, scheduledFor] of missed.entries()) {
      if (await tx.occurrences.has(job.id, scheduledFor)) continue;
      const message =
        isCut && index === 0 ? "I was away; so were earlier due times, which are not listed" : "I was away";
      const id = this.#options.runtime.ids.next("occ");
      await tx.occurrences.add({ ...this.#newRow(job, scheduledFor), id, status: "missed", message });
    }
  }

  #newRow({ id: jobId, name: jobName, channelId }: JobRow, scheduledFor: number) {
    const at = this.#options.runtime.clock.now();
    return { jobId, jobName, channelId, scheduledFor, trigger: "schedule" as const, at };
  }

  #deliver(
    job: JobRow,
    occurrence: { readonly id: string; readonly scheduledFor: number },
    claim: (tx: StoreTransaction, sessionId: string) => Promise<boolean>,
  ): Promise<"new" | "duplicate" | "refused"> {
    const { engine, runtime, agentOf, refusalOf } = this.#options;
    const at = runtime.clock.now();
    const sessionId = runtime.ids.next("ses");
    const event = attemptEvent(job, { ...occurrence, attempt: 1 }, { at, refusal: refusalOf(job) });
    return engine.deliver(sessionId, event, async (tx) => {
      if (!(await claim(tx, sessionId))) return false;
      await tx.sessions.createUnder(`job:${occurrence.id}`, {
        id: sessionId,
        thread: job.thread,
        agent: job.agent ?? agentOf(job.channelId),
        settings: {
          ...(job.model === null ? {} : { model: job.model }),
          ...(job.skill === null ? {} : { activeSkill: job.skill }),
        },
        createdBy: job.ownerId,
        at,
      });
      return true;
    });
  }

  /** cancel-previous: what still runs makes room; what waits for its next attempt gets none. */
  async #stopOthers(verdict: OverlapVerdict): Promise<void> {
    if (verdict.type !== "run") return;
    for (const occurrence of verdict.stops) await this.#stopOne(occurrence);
  }

  async #stopOne({ id, sessionId, status }: OccurrenceRow): Promise<void> {
    const { store, engine, runtime } = this.#options;
    const run = sessionId === null ? null : await store.runs.open(sessionId);
    if (status === "running" && sessionId !== null && run !== null) {
      await engine.cancel(sessionId, run.id, NEXT_DUE_TIME);
      return;
    }
    const end = {
      message: "the next due time came before its next attempt",
      error: null,
      costUsd: null,
      durationMs: null,
    };
    await store.transaction((tx) =>
      tx.occurrences.end(id, { ...end, status: "cancelled", reportHash: null, at: runtime.clock.now() }),
    );
  }

  #tick(jobId: string): void {
    // `look` never rejects.
    this.look(jobId).catch(() => undefined);
  }

  #lookLater(): void {
    const { clock } = this.#options.runtime;
    this.#cancelLook = clock.after(LOOK_EVERY_MS, () => {
      const overdue = [...this.#dueAt].filter(([, at]) => at < clock.now()).map(([jobId]) => jobId);
      for (const jobId of overdue) this.#tick(jobId);
      this.#lookLater();
    });
  }
}

/** The due times that have come since the job was last accounted for; null when none has. */
function arrivedBy(now: number, job: JobRow, schedule: Schedule): Arrived | null {
  const { times, isCut } = dueBetween(schedule, { after: job.accountedTo, until: now }, MOST_MISSED);
  const come = times.filter((due) => due + jitterOf(job, due) <= now);
  const newest = come.at(-1);
  if (newest === undefined) return null;
  const isOnTime = now - newest <= ON_TIME_MS + job.jitterMs;
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
