import { type ChildReport, childReportSchema } from "../events/child-event.ts";
import type { StoreReads } from "./store.ts";

/** Key of the journal entry that holds a sub-agent's report. */
export const REPORT = "report";

interface Work {
  readonly runId: string;
  readonly turns: number;
  /** Number of calls that began and have ended. */
  readonly tools: number;
}

/** Progress of a sub-agent. `gone`: it was stopped before it began. */
export type ChildStatus =
  | { readonly type: "waiting" }
  | (Work & { readonly type: "working" })
  | (Work & { readonly type: "ended"; readonly report: ChildReport })
  | { readonly type: "gone" };

/** The report that the child's run has ended with; null while it has none. */
export async function reportOf(store: StoreReads, childId: string): Promise<ChildReport | null> {
  const run = await store.runs.newestOf(childId);
  return run === null ? null : storedReport(store, run.id);
}

/**
 * Returns the child's run, or why there is none. The inbox is read first, because an event taken between the two reads
 * has begun a run by then. `beginKey`: key of the event that begins the child.
 */
export async function runOrWait(store: Pick<StoreReads, "inbox" | "runs">, childId: string, beginKey: string) {
  if (await store.inbox.isWaiting(beginKey)) return "waiting";
  return (await store.runs.newestOf(childId)) ?? "gone";
}

/** Returns the child's progress. `beginKey`: key of the event that begins the child. */
export async function statusOf(store: StoreReads, childId: string, beginKey: string): Promise<ChildStatus> {
  const run = await runOrWait(store, childId, beginKey);
  if (run === "waiting" || run === "gone") return { type: run };
  const [report, spent, calls] = await Promise.all([
    storedReport(store, run.id),
    store.usage.ofRun(run.id),
    store.toolCalls.ofRun(run.id),
  ]);
  const tools = calls.filter(({ status, hasBegun }) => status === "ended" && hasBegun).length;
  const work = { runId: run.id, turns: spent.turns, tools };
  return report === null ? { type: "working", ...work } : { type: "ended", ...work, report };
}

async function storedReport(store: StoreReads, runId: string): Promise<ChildReport | null> {
  const entry = await store.journal.get(runId, REPORT);
  return entry.found ? childReportSchema.parse(entry.value) : null;
}
