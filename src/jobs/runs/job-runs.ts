import { hash } from "node:crypto";
import { z } from "zod";
import type { JobFacts, JobRunEnd } from "../../core/jobs/job-report.ts";
import type { CancelCause } from "../../core/protocol/cancel-cause.ts";
import type { AppError } from "../../core/protocol/errors.ts";
import { reasonOf } from "../../core/protocol/explain.ts";
import { type OccurrenceRow, OPEN_OCCURRENCES } from "../../core/store/job-occurrences.ts";
import type { JobRow } from "../../core/store/jobs.ts";
import type { PauseCause } from "../../core/store/pause-cause.ts";
import { nextDue, readSchedule } from "../calendar/schedule.ts";
import { clockTimeIn, sentenceOf, timeIn } from "../calendar/sentence.ts";
import { TIME_USED } from "../scheduling/background-timeout.ts";
import type { JobScope } from "../scheduling/job-scope.ts";
import { attemptEvent, ON_TIME_MS, PAUSED } from "../scheduling/occurrence.ts";

export interface JobRun {
  readonly jobId: string;
  readonly occurrenceId: string;
  readonly runId: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly timeoutMs: number;
}

type Scope = Pick<JobScope, "store" | "engine" | "runtime" | "log" | "scheduler" | "refusalOf">;

/** Number of earlier runs in the history strip. */
const HISTORY = 6;
/** Wait before the second attempt; each further wait is four times as long. In milliseconds. */
const FIRST_RETRY_MS = 60_000;
/** Journal key in a job's run: the beginning of its report. */
const BEGINNING = "report:beginning";
const beginningSchema = z.object({
  name: z.string(),
  sentence: z.string().nullable(),
  late: z.object({ due: z.string(), ran: z.string(), why: z.string() }).nullable(),
  isUnchanged: z.boolean(),
});
type Beginning = z.infer<typeof beginningSchema>;
/** Maximum characters of a report or a reason kept in the log. */
const LOGGED_CHARS = 300;

/** What the views of jobs' runs tell of them and ask about them. */
export class JobRuns {
  readonly #options: Scope;

  constructor(options: Scope) {
    this.#options = options;
  }

  /** Records that the run begins or continues. Returns how much of its time it has used, in milliseconds. */
  async begins(run: JobRun): Promise<number> {
    const { store, refusalOf } = this.#options;
    const job = await store.jobs.get(run.jobId);
    const occurrence = await store.transaction(async (tx) => {
      await tx.jobs.lock(run.jobId);
      const known = await tx.occurrences.get(run.occurrenceId);
      if (known === null || isOver(known, run)) return null;
      await tx.occurrences.move(run.occurrenceId, "retrying", { status: "running" });
      await tx.occurrences.runs(run.occurrenceId, run.runId, this.#now());
      return known;
    });
    if (occurrence === null) {
      await this.#cancel(run, { by: "overlap", with: "run" });
      return 0;
    }
    // Nothing more is done in the name of an owner who lost access since the due time.
    const refusal = job === null ? null : await refusalOf(job);
    if (refusal !== null) await this.#cancel(run, { by: "refusal", reason: firstSentence(refusal.reason) });
    return occurrence.runId === run.runId ? (occurrence.durationMs ?? 0) : 0;
  }

  /** Records how much of its time the run has used, in milliseconds. The latest value counts after a restart. */
  async hasRun(run: JobRun, ms: number): Promise<void> {
    await this.#options.store.transaction((tx) => tx.occurrences.hasRun(run.occurrenceId, run.runId, ms));
  }

  /** Stops the run because its time is up, which also becomes its outcome. */
  timeIsUp(run: JobRun): Promise<void> {
    return this.#cancel(run, { by: "timeout", limitMs: run.timeoutMs });
  }

  /** The facts for the report of the run's end. */
  async factsOf(run: JobRun, end: JobRunEnd): Promise<JobFacts> {
    const { store } = this.#options;
    const [occurrence, job] = await this.#found(run);
    if (occurrence === null || isOver(occurrence, run)) return { ...NO_FACTS, isOver: true };
    const newest = await store.occurrences.newestRuns(run.jobId, HISTORY + 1);
    const before = newest.filter(({ id }) => id !== occurrence.id).slice(0, HISTORY);
    const facts: JobFacts = {
      ...NO_FACTS,
      name: job?.name ?? occurrence.jobName,
      history: before.toReversed(),
      leftOut: await store.occurrences.leftOutBefore(occurrence),
    };
    if (job === null) return { ...facts, ...(await this.#beginningOf(run, facts)) };
    // Unchanged reports are still posted if a person asked for the run or has read of a failure.
    const isAwaited = occurrence.trigger === "person" || run.attempt > 1 || before[0]?.success === false;
    const last =
      job.silentWhenUnchanged && !isAwaited
        ? await store.occurrences.lastReportHash(job.id, occurrence.scheduledFor)
        : null;
    const beginning = await this.#beginningOf(run, {
      name: job.name,
      sentence: sentence(job),
      late: lateness(occurrence, job),
      isUnchanged: end.verdict === "succeeded" && last === hashOf(end.text),
    });
    return { ...facts, ...nextOf(run, end, { job, now: this.#now() }), ...beginning };
  }

  /**
   * The beginning of the report, stored when it is first posted. If the job were changed or removed before a restart, a
   * new beginning would shift the cuts between the messages of a long report, some of which are already posted.
   */
  async #beginningOf(run: JobRun, { name, sentence, late, isUnchanged }: Beginning): Promise<Beginning> {
    const { store } = this.#options;
    const known = await store.journal.get(run.runId, BEGINNING);
    if (known.found) return beginningSchema.parse(known.value);
    const value: Beginning = { name, sentence, late, isUnchanged };
    await store.transaction((tx) => tx.journal.put(run.runId, BEGINNING, { value, at: this.#now() }));
    return value;
  }

  /** Logs the end of the run after it was reported, and triggers what follows from it. Idempotent. */
  async ended(run: JobRun, end: JobRunEnd): Promise<void> {
    const [occurrence, job] = await this.#found(run);
    if (occurrence === null || isOver(occurrence, run)) return;
    if (job !== null && (await this.#tryAgain(run, end, [occurrence, job]))) return;
    await this.#close(run, end, end.refusal);
  }

  /**
   * Pauses a job whose channel cannot be written to. Returns the person to tell; null if the job is gone or has no
   * owner.
   */
  async undeliverable(run: JobRun, end: JobRunEnd, error: AppError): Promise<string | null> {
    const { store, log } = this.#options;
    const reason = reasonOf(error);
    log.error({ ...run, code: error.code, ...error.detail }, "job_undeliverable");
    await this.#close(run, { ...end, verdict: "failed", text: reason, transient: null }, reason);
    const ownerId = (await store.jobs.get(run.jobId))?.ownerId ?? "";
    // Without a platform prefix, the owner is the file of jobs.
    return ownerId.includes(":") ? ownerId : null;
  }

  #now(): number {
    return this.#options.runtime.clock.now();
  }

  async #found(run: JobRun): Promise<[OccurrenceRow | null, JobRow | null]> {
    const { store } = this.#options;
    return [await store.occurrences.get(run.occurrenceId), await store.jobs.get(run.jobId)];
  }

  async #cancel(run: JobRun, cause: CancelCause): Promise<void> {
    const { store, engine } = this.#options;
    const sessionId = (await store.runs.get(run.runId))?.sessionId;
    if (sessionId !== undefined) await engine.cancel(sessionId, run.runId, cause);
  }

  /** Delivers another attempt, in the same session, after a transient failure. False if there is none left. */
  async #tryAgain(run: JobRun, end: JobRunEnd, [occurrence, job]: [OccurrenceRow, JobRow]): Promise<boolean> {
    const { store, engine, log, refusalOf } = this.#options;
    const delayMs = retryDelay(run, end, job);
    if (delayMs === null || occurrence.sessionId === null) return false;
    const attempt = run.attempt + 1;
    const event = attemptEvent(
      job,
      { ...occurrence, attempt },
      { at: this.#now(), refusal: (await refusalOf(job))?.reason ?? null },
    );
    await engine.deliverAt(occurrence.sessionId, event, this.#now() + delayMs);
    const waits = await store.transaction(async (tx) => {
      await tx.jobs.lock(job.id);
      // If the job was changed or paused meanwhile, that found no attempt to cancel, so none may follow now.
      const isAsRead = (await tx.jobs.get(job.id))?.updatedAt === job.updatedAt;
      const costUsd = costWith(end, occurrence);
      if (isAsRead) await tx.occurrences.move(run.occurrenceId, "running", { status: "retrying", attempt, costUsd });
      return (await tx.occurrences.get(run.occurrenceId))?.status === "retrying";
    });
    if (waits) log.warn({ ...run, delayMs, reason: end.text.slice(0, LOGGED_CHARS) }, "job_retries");
    return waits;
  }

  async #close(run: JobRun, end: JobRunEnd, refusal: string | null): Promise<void> {
    const { store, scheduler, log } = this.#options;
    const at = this.#now();
    const closed = await store.transaction(async (tx) => {
      await tx.jobs.lock(run.jobId);
      const [occurrence, job] = [await tx.occurrences.get(run.occurrenceId), await tx.jobs.get(run.jobId)];
      const costUsd = costWith(end, occurrence);
      if (!(await tx.occurrences.end(run.occurrenceId, { ...logged(end), costUsd, at }))) return "already";
      await tx.journal.put(run.runId, TIME_USED, { value: occurrence?.durationMs ?? 0, at });
      if (job === null) return "ended";
      const failures = end.verdict === "cancelled" ? 0 : await tx.jobs.countFailure(job.id, hasFailed(end));
      const because =
        refusal === null ? pauseCause(job, failures, occurrence) : { by: "refusal" as const, reason: refusal };
      if (because === null) return "ended";
      await tx.jobs.pause(job.id, because, at);
      await tx.occurrences.withdraw(job.id, PAUSED, at);
      return "paused";
    });
    if (closed === "already") return;
    log.info({ ...run, verdict: end.verdict, durationMs: end.durationMs, costUsd: end.costUsd }, "job_ended");
    if (closed === "paused") await scheduler.check(run.jobId);
    await scheduler.startWaiting(run.jobId);
  }
}

function hasFailed({ verdict }: JobRunEnd): boolean {
  return verdict === "failed" || verdict === "timed_out";
}

/** What happens next after a run's end. */
function nextOf(run: JobRun, end: JobRunEnd, { job, now }: { job: JobRow; now: number }) {
  const retryMs = retryDelay(run, end, job);
  const failures = job.failures + 1;
  const pauses = hasFailed(end) && retryMs === null && failures >= job.pauseAfter;
  const isRetried = retryMs !== null;
  if (end.refusal !== null) return { isRetried, pausesAfter: null, nextTry: null };
  if (isRetried) return { isRetried, pausesAfter: null, nextTry: inWords(retryMs, run, job) };
  return { isRetried, pausesAfter: pauses ? failures : null, nextTry: pauses ? null : nextTime(job, now) };
}

const NO_FACTS: JobFacts = {
  name: "",
  sentence: null,
  late: null,
  leftOut: 0,
  history: [],
  isUnchanged: false,
  isOver: false,
  nextTry: null,
  isRetried: false,
  pausesAfter: null,
};

/**
 * Whether the occurrence was ended elsewhere or has a later attempt. Its last run stays responsible after a restart.
 */
function isOver(occurrence: OccurrenceRow, run: JobRun): boolean {
  if (occurrence.runId === run.runId) return false;
  return occurrence.attempt !== run.attempt || !OPEN_OCCURRENCES.includes(occurrence.status);
}

function retryDelay({ attempt }: JobRun, { transient }: JobRunEnd, { attempts, enabled }: JobRow): number | null {
  if (transient === null || attempt >= attempts || !enabled) return null;
  return Math.max(FIRST_RETRY_MS * 4 ** (attempt - 1), transient.retryAfterMs ?? 0);
}

/** What pauses the job; null if nothing does. A reminder that got a new time while it ran is still due. */
function pauseCause(job: JobRow, failures: number, occurrence: OccurrenceRow | null): PauseCause | null {
  const isDue = occurrence?.trigger === "schedule" && job.dueOnce !== null && job.dueOnce <= occurrence.scheduledFor;
  if (isDue) return { by: "due_once" };
  return failures >= job.pauseAfter ? { by: "failures", count: failures } : null;
}

/** The cost, including that of earlier attempts. */
function costWith({ costUsd }: JobRunEnd, occurrence: OccurrenceRow | null): number | null {
  const before = occurrence?.costUsd ?? null;
  return before === null || costUsd === null ? (costUsd ?? before) : before + costUsd;
}

function logged({ verdict, text, durationMs }: JobRunEnd) {
  // PostgreSQL texts cannot contain NUL.
  const line = text.replaceAll("\0", "").slice(0, LOGGED_CHARS).toWellFormed();
  const isGood = verdict === "succeeded";
  return {
    status: verdict,
    message: isGood ? line : null,
    error: isGood ? null : line,
    durationMs,
    reportHash: isGood ? hashOf(text) : null,
  };
}

function hashOf(report: string): string {
  return hash("sha256", report.trim().replaceAll(/\s+/gu, " "));
}

function sentence(job: JobRow): string | null {
  const read = readSchedule(job);
  return read.type === "schedule" ? sentenceOf(read.schedule) : null;
}

function nextTime(job: JobRow, after: number): string | null {
  const read = readSchedule(job);
  const due = read.type === "schedule" && job.enabled ? nextDue(read.schedule, after) : null;
  return due === null ? null : timeIn(due, job.timezone);
}

function inWords(delayMs: number, { attempt }: JobRun, { attempts }: JobRow): string {
  const minutes = Math.ceil(delayMs / 60_000);
  return `in ${minutes} min (attempt ${attempt + 1} of ${attempts})`;
}

function lateness(occurrence: OccurrenceRow, { timezone, jitterMs }: JobRow): JobFacts["late"] {
  const { scheduledFor, createdAt, executedAt, trigger, attempt } = occurrence;
  if (trigger === "person" || executedAt === null || attempt > 1) return null;
  const allowedMs = ON_TIME_MS + jitterMs;
  if (executedAt - scheduledFor <= allowedMs) return null;
  const why = createdAt - scheduledFor > allowedMs ? "I was away" : "other runs came first";
  // On another day, the time alone would not show how late it is.
  const isOtherDay = executedAt - scheduledFor > 12 * 3_600_000;
  const say = isOtherDay ? timeIn : clockTimeIn;
  return { due: say(scheduledFor, timezone), ran: say(executedAt, timezone), why };
}

/** The first sentence, without its full stop. */
function firstSentence(text: string): string {
  const [first = ""] = text.split(". ");
  return first.replace(/\.$/u, "");
}
