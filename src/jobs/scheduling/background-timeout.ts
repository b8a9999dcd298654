import { postKey } from "../../core/engine/post-once.ts";
import { taskTreeOf } from "../../core/events/child-task.ts";
import { answerMessage } from "../../core/platform/replies.ts";
import { type CancelCause, causeText } from "../../core/protocol/cancel-cause.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { RunRow } from "../../core/store/runs.ts";
import type { Store } from "../../core/store/store.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import type { JobScope } from "./job-scope.ts";

type Scope = Pick<JobScope, "store" | "engine" | "runtime" | "log" | "announce">;

/** Interval of checks for a job's background work, and the time that each check counts. In milliseconds. */
export const BACKGROUND_EVERY_MS = 10_000;
/** Journal key in a job's run: time used so far, in milliseconds. */
export const TIME_USED = "time:had";
/** Journal key prefix in a job's run: one entry for each check that found background work. */
const CHECKS = "time:look:";
/** Maximum characters of a sub-agent's task. */
const TASK_CHARS = 80;

/**
 * Applies a job's time limit to everything that an attempt causes: time left by its run remains for the sub-agents that
 * outlive it, and for runs that these start when they end. Time counts while one of them works, but not while all wait
 * for people or the program is down.
 */
export async function stopOverdueBackground(options: Scope): Promise<void> {
  for (const [rootRunId, active] of await activeBackgroundRuns(options.store)) {
    try {
      await countTime(rootRunId, active, options);
    } catch (error) {
      options.log.error({ err: toAppError(error), runId: rootRunId }, "job_background_look_failed");
    }
  }
}

/** A job's active runs besides its own run, by the id of that run. */
async function activeBackgroundRuns(store: Store): Promise<Map<string, RunRow[]>> {
  const left = new Map<string, RunRow[]>();
  for (const run of await store.runs.interrupted()) {
    const { body } = await store.inbox.get(run.eventSeq);
    if ((body.kind !== "child" && body.kind !== "child_end") || body.job === null || run.cancelledBy !== null) continue;
    const rootRunId = taskTreeOf(body.task);
    left.set(rootRunId, [...(left.get(rootRunId) ?? []), run]);
  }
  return left;
}

async function countTime(rootRunId: string, active: readonly RunRow[], options: Scope): Promise<void> {
  const { store, runtime } = options;
  const rootRun = await store.runs.get(rootRunId);
  // Until the job's own run ends, its view counts the time.
  if (rootRun?.status !== "ended") return;
  const { body } = await store.inbox.get(rootRun.eventSeq);
  // A run that a person starts in the job's thread has no time limit.
  if (body.kind !== "job") return;
  const used = await store.journal.get(rootRunId, TIME_USED);
  const checks = (await store.journal.keysOf(rootRunId, CHECKS)).length;
  const key = `${CHECKS}${checks}`;
  await store.transaction((tx) => tx.journal.put(rootRunId, key, { value: null, at: runtime.clock.now() }));
  const usedMs = (typeof used.value === "number" ? used.value : 0) + (checks + 1) * BACKGROUND_EVERY_MS;
  if (usedMs < body.timeoutMs) return;
  await stopRuns(rootRun, active, { ...options, cause: { by: "timeout", limitMs: body.timeoutMs } });
}

type StopScope = Scope & { readonly cause: CancelCause };

async function stopRuns(rootRun: RunRow, active: readonly RunRow[], options: StopScope) {
  const { store, engine, log, cause } = options;
  const { id: runId, sessionId } = rootRun;
  for (const id of await store.children.runsOfTaskTree(sessionId, runId)) {
    const run = await store.runs.get(id);
    // Cancelling the runs of the job's session also cancels all their descendants.
    if (run?.sessionId === sessionId) await engine.cancel(sessionId, id, cause);
  }
  log.warn({ sessionId, runId, stopped: active.map(({ id }) => id), by: causeText(cause) }, "job_background_timed_out");
  // A run of the job's session reports its own end.
  if (active.some((run) => run.sessionId === sessionId)) return;
  await reportStop(rootRun, active, options);
}

/** Reports the stop in the report's thread. */
async function reportStop({ id, sessionId }: RunRow, active: readonly RunRow[], options: StopScope) {
  const { store, announce, cause } = options;
  const { thread } = await store.sessions.get(sessionId);
  const name = await store.occurrences.jobNameOf(sessionId);
  const children = await Promise.all(active.map((run) => store.children.get(run.sessionId)));
  const tasks = children.flatMap((child) => (child === null ? [] : [plainLine(child.task.description, TASK_CHARS)]));
  const markdown = `⏹ **${name ?? "A job"}** · stopped by ${causeText(cause)}: ${tasks.join(", ")}`;
  await announce(thread, answerMessage(markdown), postKey(id, "leftovers"));
}
