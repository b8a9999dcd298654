import type { DeliveryResult } from "../../core/engine/engine.ts";
import type { SessionSettings } from "../../core/events/session-settings.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import type { CancelCause } from "../../core/protocol/cancel-cause.ts";
import type { OccurrenceRow } from "../../core/store/job-occurrences.ts";
import type { JobAddress, JobRow } from "../../core/store/jobs.ts";
import { JOB_KEY } from "../../core/store/sessions.ts";
import type { StoreTransaction } from "../../core/store/store.ts";
import { type StoppedRun, stopRun } from "../../core/subagents/children.ts";
import { wakeReleased } from "../../core/subagents/queued-children.ts";
import { JOB_DEFAULTS } from "./job-input.ts";
import type { JobScope } from "./job-scope.ts";
import { readJobSkill } from "./job-skill.ts";
import { alreadyRunning, attemptEvent, type OverlapVerdict, overlapVerdict } from "./occurrence.ts";

/** What is needed to give a job's occurrence its run. */
export type BeginScope = Pick<JobScope, "store" | "engine" | "runtime" | "log" | "agentOf" | "refusalOf">;

/** Due times that have come, and what to do with them. */
export interface Arrived {
  readonly job: JobRow;
  /** Oldest first. */
  readonly missed: readonly number[];
  readonly isCut: boolean;
  /** The due time that is run; null if all are missed. */
  readonly runs: number | null;
  readonly accountedTo: number;
}

interface NewRun {
  readonly job: JobRow;
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

/** Writes in one transaction the missed rows, the row to run, its session and the event that begins it. */
export async function beginDue(arrived: Arrived, scope: BeginScope): Promise<void> {
  const { store, engine, runtime, log } = scope;
  const { job, runs, accountedTo, missed } = arrived;
  if (missed.length > 0) log.warn({ jobId: job.id, missed: missed.length }, "job_missed");
  if (runs === null) {
    await store.transaction(async (tx) => {
      if (await tx.jobs.accountTo(job.id, accountedTo)) await addMissed(tx, arrived, scope);
    });
    return;
  }
  const id = runtime.ids.next("occ");
  let verdict: OverlapVerdict = { type: "wait" };
  let stopped: Stopped = { runs: [], released: [] };
  const outcome = await deliver({ job, id, scheduledFor: runs }, scope, async (tx, sessionId) => {
    if (!(await tx.jobs.accountTo(job.id, accountedTo))) return false;
    await addMissed(tx, arrived, scope);
    // A clock that was set back reaches the same time again, or a person's run has the same time.
    if (await tx.occurrences.has(job.id, runs)) return false;
    verdict = overlapVerdict(job, await tx.occurrences.open(job.id));
    if (verdict.type === "run") stopped = await stopOthers(tx, verdict.stops, scope);
    await tx.occurrences.add({ ...newRow(job, runs, scope), id, ...statusOf(verdict, sessionId) });
    return verdict.type === "run";
  });
  log.info({ jobId: job.id, occurrenceId: id, scheduledFor: runs, verdict: verdict.type, outcome }, "job_due");
  // The stops are already stored, whatever happens to this process; this only makes them immediate.
  for (const { sessionId, runId } of stopped.runs) await engine.cancel(sessionId, runId, OVERLAP);
  await wakeReleased(stopped.released, engine);
}

/** Runs a job for a person, independently of its schedule. Null if it has begun, otherwise why not. */
export async function beginNow(job: JobRow, at: number, scope: BeginScope): Promise<string | null> {
  const { store, runtime } = scope;
  const [open] = await store.occurrences.open(job.id);
  if (open !== undefined) return alreadyRunning(open);
  const id = runtime.ids.next("occ");
  const outcome = await deliver({ job, id, scheduledFor: at }, scope, async (tx, sessionId) => {
    if (await tx.occurrences.has(job.id, at)) return false;
    if ((await tx.occurrences.open(job.id)).length > 0) return false;
    await tx.occurrences.add({ ...newRow(job, at, scope), id, trigger: "person", status: "running", sessionId });
    return true;
  });
  if (outcome !== "changed") return outcome === "new" ? null : "It is already running.";
  const now = await store.jobs.get(job.id);
  return now === null ? "It has been removed." : beginNow(now, at, scope);
}

/** Starts the longest-waiting occurrence after the run before it has ended. */
export async function beginWaiting(jobId: string, scope: BeginScope): Promise<void> {
  const { store } = scope;
  const [first] = await store.occurrences.open(jobId);
  const job = first?.status === "waiting" ? await store.jobs.get(jobId) : null;
  if (job === null || first === undefined) return;
  const outcome = await deliver(
    { job, id: first.id, scheduledFor: first.scheduledFor },
    scope,
    async (tx, sessionId) => {
      const [still] = await tx.occurrences.open(jobId);
      return still?.id === first.id && tx.occurrences.move(first.id, "waiting", { status: "running", sessionId });
    },
  );
  if (outcome === "changed") await beginWaiting(jobId, scope);
}

/** Reports, once, a job that cannot be due because its time zone is gone; a run with this refusal pauses it. */
export async function reportRefusal(job: JobRow, refusal: string, scope: BeginScope): Promise<void> {
  const id = scope.runtime.ids.next("occ");
  const scheduledFor = scope.runtime.clock.now();
  await deliver({ job, id, scheduledFor, refusal }, scope, async (tx, sessionId) => {
    if ((await tx.occurrences.open(job.id)).length > 0) return false;
    await tx.occurrences.add({ ...newRow(job, scheduledFor, scope), id, status: "running", sessionId });
    return true;
  });
}

/** Pauses a job whose row cannot be read, and reports that in its channel if the row still names one. */
export async function reportUnreadable(jobId: string, scope: BeginScope): Promise<void> {
  const { store, runtime, log } = scope;
  const unreadable = await store.jobs.unreadable(jobId);
  if (unreadable === null) return;
  const { problem, place } = unreadable;
  log.error({ jobId, problem }, "job_unreadable");
  if (place?.enabled !== true) return;
  const job = placeholderJob(place);
  const at = runtime.clock.now();
  const id = runtime.ids.next("occ");
  const refusal = `Its row in the database can't be read (${problem}). An operator must fix it.`;
  await deliver({ job, id, scheduledFor: at, refusal }, scope, async (tx, sessionId) => {
    await tx.jobs.pause(jobId, { by: "refusal", reason: refusal }, at);
    await tx.occurrences.add({ ...newRow(job, at, scope), id, status: "running", sessionId });
    return true;
  });
}

/** Delivers a run. “changed” if the job has changed since it was read; whoever changed it has it checked. */
async function deliver(
  run: NewRun,
  { engine, runtime, agentOf, refusalOf }: BeginScope,
  claim: OccurrenceClaim,
): Promise<DeliveryResult | "changed"> {
  const { job, refusal = (await refusalOf(job))?.reason ?? null, ...occurrence } = run;
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

async function addMissed(tx: StoreTransaction, { job, missed, isCut }: Arrived, scope: BeginScope): Promise<void> {
  for (const [index, scheduledFor] of missed.entries()) {
    if (await tx.occurrences.has(job.id, scheduledFor)) continue;
    const message = isCut && index === 0 ? "I was away; earlier missed times are not listed" : "I was away";
    const id = scope.runtime.ids.next("occ");
    await tx.occurrences.add({ ...newRow(job, scheduledFor, scope), id, status: "missed", message });
  }
}

function newRow({ id: jobId, name: jobName, channelId }: JobRow, scheduledFor: number, { runtime }: BeginScope) {
  return { jobId, jobName, channelId, scheduledFor, trigger: "schedule" as const, at: runtime.clock.now() };
}

/**
 * For cancel-previous: stops open runs and ends occurrences that wait for an attempt. Happens in the transaction that
 * gives the due time its run, so that no crash leaves two that report.
 */
async function stopOthers(
  tx: StoreTransaction,
  others: readonly OccurrenceRow[],
  { runtime }: BeginScope,
): Promise<Stopped> {
  const runs: StoppedRun[] = [];
  const released: string[] = [];
  for (const { id, sessionId, status } of others) {
    const open = sessionId === null || status !== "running" ? null : await tx.runs.open(sessionId);
    if (sessionId === null || open === null) {
      await tx.occurrences.end(id, { ...WITHDRAWN, at: runtime.clock.now() });
      continue;
    }
    const run = { sessionId, runId: open.id };
    const stopped = await stopRun(tx, run, OVERLAP);
    runs.push(run, ...stopped.below);
    released.push(...stopped.released);
  }
  return { runs, released };
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
