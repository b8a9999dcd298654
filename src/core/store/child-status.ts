import { type ChildReport, childReportSchema } from "../events/child-event.ts";
import type { StoreReads } from "./store.ts";

/** The entry of a child's journal that holds its report. */
export const REPORT = "report";

interface Work {
  readonly runId: string;
  readonly turns: number;
  /** Calls that have ended. */
  readonly tools: number;
}

/** How far a sub-agent is. `gone`: it was stopped before it began. */
export type ChildStatus =
  | { readonly type: "waiting" }
  | (Work & { readonly type: "working" })
  | (Work & { readonly type: "ended"; readonly report: ChildReport })
  | { readonly type: "gone" };

/** What the child's run has ended with; null while it has not. */
export async function reportOf(store: StoreReads, childId: string): Promise<ChildReport | null> {
  const run = await store.children.runOf(childId);
  return run === null ? null : storedReport(store, run.id);
}

/**
 * The child's run, or why there is none. What waits is looked at first: an event that is taken between the two reads has
 * begun a run by then. `beginKey`: of the event that begins the child.
 */
export async function runOrWait(store: Pick<StoreReads, "inbox" | "children">, childId: string, beginKey: string) {
  if (await store.inbox.isWaiting(beginKey)) return "waiting";
  return (await store.children.runOf(childId)) ?? "gone";
}

/** `beginKey`: of the event that begins the child. */
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
