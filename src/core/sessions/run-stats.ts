import type { RunStats } from "../protocol/events.ts";
import type { Store } from "../store/store.ts";
import { changedFiles } from "./run-journal.ts";

/** What a run has come to; its sub-agents' calls count among the cost. `now` is in milliseconds since the epoch. */
export async function statsOfRun(
  store: Store,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
  now: number,
): Promise<RunStats> {
  const [run, spent, calls, { ofRun }] = await Promise.all([
    store.runs.get(runId),
    store.usage.ofRun(runId),
    store.toolCalls.ofRun(runId),
    store.children.family(sessionId, runId),
  ]);
  const below = await Promise.all(ofRun.runIds.filter((id) => id !== runId).map((id) => store.usage.ofRun(id)));
  const ended = calls.filter((call) => call.status === "ended");
  return {
    turns: spent.turns,
    tools: ended.length,
    durationMs: run === null ? 0 : now - run.startedAt,
    costUsd: below.reduce<number | null>(
      (sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd),
      spent.costUsd,
    ),
    changedFiles: changedFiles(ended.flatMap((call) => call.result?.files ?? [])),
  };
}
