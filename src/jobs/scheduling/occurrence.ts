import { hash } from "node:crypto";
import type { JobEvent } from "../../core/events/job-event.ts";
import type { SessionEvent } from "../../core/events/session-event.ts";
import type { OccurrenceRow } from "../../core/store/job-occurrences.ts";
import type { JobRow } from "../../core/store/jobs.ts";
import { nextDue, type Schedule } from "../calendar/schedule.ts";
import { timeIn } from "../calendar/sentence.ts";

/** How late an occurrence may begin and still be on time. In milliseconds. */
export const ON_TIME_MS = 60_000;

/** Logged for occurrences that a pause left without a run. */
export const PAUSED = "the job was paused";
export const REMOVED = "the job was removed";

export function isPastReminder({ pausedBecause }: Pick<JobRow, "pausedBecause">): boolean {
  return pausedBecause?.by === "due_once";
}

/** Maximum number of occurrences that wait for the run before them. */
const MAX_WAITING = 10;

/**
 * Delay after the due time, spread over the job's jitter. It is the same after a restart and always ends before the
 * next due time, so that no occurrence overtakes another. In milliseconds.
 */
export function jitterOf({ id, jitterMs }: Pick<JobRow, "id" | "jitterMs">, schedule: Schedule, due: number): number {
  if (jitterMs === 0) return 0;
  const digest = hash("sha256", `${id}:${due}`, "buffer");
  const untilNextMs = (nextDue(schedule, due) ?? Number.POSITIVE_INFINITY) - due;
  return digest.readUInt32BE() % Math.min(jitterMs + 1, untilNextMs);
}

/** Whether a missed due time is made up for. A reminder always is, since late is better than never. */
export function catchesUp(job: JobRow, schedule: Schedule): boolean {
  return schedule.type === "once" || job.catchUp === "latest";
}

/** Why a run requested by a person cannot begin now. */
export function alreadyRunning({ status }: OccurrenceRow): string {
  return status === "retrying"
    ? "Its last run failed and will be retried; `/jobs disable` cancels that."
    : "It is already running.";
}

export type OverlapVerdict =
  | { readonly type: "run"; readonly stops: readonly OccurrenceRow[] }
  | { readonly type: "wait" }
  | { readonly type: "skip"; readonly why: string };

/** What to do with a due time while earlier occurrences are open. */
export function overlapVerdict({ overlap, dueOnce, timezone }: JobRow, open: readonly OccurrenceRow[]): OverlapVerdict {
  const [first] = open;
  if (first === undefined || overlap === "cancel-previous") return { type: "run", stops: open };
  // A reminder has no other due time.
  const waits = overlap === "queue" || dueOnce !== null;
  if (waits && open.length <= MAX_WAITING) return { type: "wait" };
  const before = `the run of ${timeIn(first.scheduledFor, timezone)} was still going`;
  return { type: "skip", why: overlap === "queue" ? `${before}, and ${MAX_WAITING} others waited` : before };
}

/** The event that begins an attempt. Its key is derived from the due time, so that it is delivered only once. */
export function attemptEvent(
  job: JobRow,
  occurrence: { readonly id: string; readonly scheduledFor: number; readonly attempt: number },
  { at, refusal }: { readonly at: number; readonly refusal: string | null },
): SessionEvent {
  const { id, scheduledFor, attempt } = occurrence;
  const body: JobEvent = {
    kind: "job",
    jobId: job.id,
    occurrenceId: id,
    attempt,
    author: { id: job.ownerId, name: job.ownerName },
    prompt: attempt === 1 ? firstPrompt(job, scheduledFor) : laterPrompt(job, attempt),
    mode: job.mode,
    tools: job.tools,
    budgetUsd: job.budgetUsd,
    timeoutMs: job.timeoutMs,
    ...(refusal === null ? {} : { refusal }),
    at,
  };
  return { key: `job:${job.id}:${scheduledFor}${attempt === 1 ? "" : `:${attempt}`}`, body };
}

/** Asks for steady wording, because a time or a greeting would make every report different. */
const STEADY_WORDS =
  "A report that equals the previous one, word for word, is not posted: leave out what changes on its own, such as the time, and say the same in the same words.";

function firstPrompt({ name, timezone, prompt, silentWhenUnchanged }: JobRow, scheduledFor: number): string {
  const due = `${timeIn(scheduledFor, timezone)} ${timezone}`;
  const silence = silentWhenUnchanged ? ` ${STEADY_WORDS}` : "";
  return `[The scheduled job “${name}”, due ${due}. Nobody can answer questions; your answer is posted as its report.${silence}]\n\n${prompt}`;
}

function laterPrompt({ name, attempts }: JobRow, attempt: number): string {
  return `[The previous attempt was cut short by a failure. This is attempt ${attempt} of ${attempts} of the job “${name}”: carry it out now, and answer with the whole report.]`;
}
