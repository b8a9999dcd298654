import { changedFiles, type RunState } from "../agent/run-state.ts";
import type { QueryOutcome, RunStats } from "../protocol/events.ts";
import type { Runtime } from "../protocol/runtime.ts";
import { sumOfCosts } from "../protocol/usage.ts";
import type { Store } from "../store/store.ts";
import { tasksOfRun } from "../subagents/run-tasks.ts";

/** The figures of a run without tool calls. */
export function plainStats(
  { startedAt }: { readonly startedAt: number },
  { turns, costUsd }: Pick<RunState, "turns" | "costUsd">,
  { clock }: Pick<Runtime, "clock">,
): RunStats {
  return { turns, tools: 0, durationMs: clock.now() - startedAt, costUsd, changedFiles: [] };
}

/** The figures of a run. The cost includes its sub-agents. */
export async function statsOfRun(
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
  { type }: Pick<QueryOutcome, "type">,
  { store, runtime }: { readonly store: Store; readonly runtime: Pick<Runtime, "clock"> },
): Promise<RunStats> {
  const now = runtime.clock.now();
  const [run, spent, calls, { ofRun }] = await Promise.all([
    store.runs.get(runId),
    store.usage.ofRun(runId),
    store.toolCalls.ofRun(runId),
    store.children.family(sessionId, runId),
  ]);
  const below = await Promise.all(ofRun.runIds.filter((id) => id !== runId).map((id) => store.usage.ofRun(id)));
  const ended = calls.filter((call) => call.status === "ended");
  const unseen = new Set(ended.flatMap(({ name, result }) => (result?.mayHaveChanged === true ? [name] : [])));
  return {
    turns: spent.turns,
    tools: ended.filter(({ hasBegun }) => hasBegun).length,
    durationMs: run === null ? 0 : now - run.startedAt,
    costUsd: sumOfCosts([spent, ...below].map(({ costUsd }) => costUsd)),
    changedFiles: changedFiles(ended.flatMap((call) => call.result?.files ?? [])),
    ...(unseen.size > 0 ? { mayHaveChanged: [...unseen] } : {}),
    ...(type === "budget_exceeded" ? { tasks: await tasksOfRun(store, { sessionId, runId }, now) } : {}),
  };
}
