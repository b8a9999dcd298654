import type { ChildReport } from "../events/child-event.ts";
import type { TaskProgress } from "../protocol/events.ts";
import { statusOf } from "../store/child-status.ts";
import { beginKeyOf, type ChildRow } from "../store/run/children.ts";
import type { Store } from "../store/store.ts";

const ENDS: Readonly<Record<ChildReport["status"], TaskProgress["state"]>> = {
  finished: "done",
  stopped: "stopped",
  failed: "failed",
};

/** The stored progress of the sub-agents that descend from a run. `now` is in milliseconds since the epoch. */
export async function tasksOfRun(
  store: Store,
  run: { readonly sessionId: string; readonly runId: string },
  now: number,
): Promise<TaskProgress[]> {
  const { ofRun } = await store.children.family(run.sessionId, run.runId);
  return Promise.all(ofRun.children.map((child) => taskOf(store, child, now)));
}

async function taskOf(store: Store, child: ChildRow, now: number): Promise<TaskProgress> {
  const { agent, description } = child.task;
  const base = { id: child.id, callId: child.parentCallId, agent, description, note: "" };
  const status = await statusOf(store, child.id, beginKeyOf(child));
  const run = "runId" in status ? await store.runs.get(status.runId) : null;
  const startedAt = run?.startedAt ?? child.createdAt;
  const elapsedMs = (run?.endedAt ?? now) - startedAt;
  switch (status.type) {
    case "ended":
      return { ...base, state: ENDS[status.report.status], tools: status.tools, elapsedMs };
    case "working":
      return { ...base, state: "working", tools: status.tools, elapsedMs };
    case "waiting":
      return { ...base, state: "queued", tools: 0, elapsedMs: 0 };
    default:
      return { ...base, state: "stopped", tools: 0, elapsedMs: 0 };
  }
}
