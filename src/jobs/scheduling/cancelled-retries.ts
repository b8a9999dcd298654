import type { JobRow, JobSettings } from "../../core/store/jobs.ts";
import type { StoreTransaction } from "../../core/store/store.ts";

/** Logged for an occurrence whose next attempt would do outdated work. */
const CHANGED = "the job was changed before its next attempt";

/** Shown to the person who changed the job. */
export const RETRY_CANCELLED =
  "⚠ I cancelled the failed run's next attempt, because it would have used the old settings. `/jobs run` runs the job now.";

/**
 * Cancels the next attempt if the job's work changed, or a reminder has a new time, because an attempt carries the
 * work and rights of when the one before failed. True if one was cancelled.
 */
export function cancelOutdatedRetry(
  tx: StoreTransaction,
  { job, settings, at }: { readonly job: JobRow; readonly settings: JobSettings; readonly at: number },
): Promise<boolean> {
  const isOtherReminder = job.dueOnce !== null && job.dueOnce !== settings.dueOnce;
  if (workOf(job) === workOf(settings) && !isOtherReminder) return Promise.resolve(false);
  return cancelRetries(tx, job.id, { message: CHANGED, at });
}

/** Ends the occurrences that wait for their next attempt; true if there were any. */
export async function cancelRetries(
  tx: StoreTransaction,
  jobId: string,
  { message, at }: { readonly message: string; readonly at: number },
): Promise<boolean> {
  const waiting = (await tx.occurrences.open(jobId)).filter(({ status }) => status === "retrying");
  const end = { status: "cancelled", message, error: null, durationMs: null, reportHash: null } as const;
  for (const { id } of waiting) await tx.occurrences.end(id, { ...end, at });
  return waiting.length > 0;
}

function workOf({
  thread,
  ownerId,
  prompt,
  agent,
  skill,
  model,
  mode,
  tools,
  timeoutMs,
  budgetUsd,
}: JobSettings): string {
  return JSON.stringify([thread, ownerId, prompt, agent, skill, model, mode, tools, timeoutMs, budgetUsd]);
}
