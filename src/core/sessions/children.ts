import type { QueryOutcome } from "../protocol/events.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { NewChild } from "../store/children.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import { beginKey, type ChildEnd, type ChildEvent, type ChildReport, endKeys } from "./child-event.ts";
import { reportText } from "./child-report.ts";
import { REPORT } from "./child-status.ts";
import type { SessionEngine } from "./engine.ts";
import { releaseIn, wakeReleased } from "./executor-queue.ts";
import { changedFiles } from "./run-journal.ts";
import { peopleOfRun } from "./run-people.ts";

export interface ChildDeps {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver">;
  readonly clock: Clock;
}

/**
 * Begins a sub-agent, once for its call: its session, and the event that begins its run. False when the parent has been
 * stopped, so that nothing begins behind a stop.
 */
export async function beginChild(
  child: Pick<NewChild, "id" | "settings">,
  event: ChildEvent,
  { engine }: ChildDeps,
): Promise<boolean> {
  const { parent, task, author, at } = event;
  const row = {
    ...child,
    parentId: parent.sessionId,
    parentRunId: parent.runId,
    parentCallId: parent.callId,
    task,
    createdBy: author.id,
    createdAt: at,
  };
  const body = task.among === undefined ? event : { ...event, queued: true };
  const outcome = await engine.deliver(child.id, { key: beginKey(event), body }, async (tx) => {
    await tx.children.lockLine(parent.sessionId);
    if (!(await tx.runs.holdOpen(parent.runId))) return false;
    await tx.children.create(row);
    return true;
  });
  return outcome !== "refused";
}

export interface EndingChild {
  readonly event: ChildEvent;
  readonly sessionId: string;
  readonly runId: string;
  readonly outcome: QueryOutcome;
  /** Ends the run, in the transaction it is given. */
  readonly endRun: (tx: StoreTransaction, at: number) => Promise<void>;
}

/** The end of a child and what its parent gets of it are one transaction: neither is ever without the other. */
export async function endChild(ending: EndingChild, { store, engine, clock }: ChildDeps): Promise<void> {
  const { event, sessionId, runId, outcome, endRun } = ending;
  const at = clock.now();
  const report = await childReport(ending, store);
  const keys = endKeys(sessionId, runId);
  const body = { kind: "resume", of: "child" } as const;
  let released: readonly string[] = [];
  await engine.deliver(event.parent.sessionId, { key: keys.wakes, body }, async (tx) => {
    // First of all locks, as whoever begins an executor takes it, so that the two never wait for each other.
    if (event.task.among !== undefined) await tx.children.lockLine(event.parent.sessionId);
    await endRun(tx, at);
    await tx.journal.put(runId, REPORT, { value: report, at });
    released = event.task.among === undefined ? [] : await releaseIn(tx, event.parent.sessionId);
    // Whoever stopped it knows.
    if (!event.task.background || outcome.type === "cancelled") return true;
    const { author, nonInteractive, job, task, parent } = event;
    const note: ChildEnd = { kind: "child_end", childId: sessionId, task, report, author, nonInteractive, job, at };
    const delivery = { event: { key: keys.note, body: note }, wakes: true, resumes: false, dueAt: at, at };
    await tx.inbox.insert({ sessionId: parent.sessionId, ...delivery });
    return true;
  });
  await wakeReleased(released, engine);
}

async function childReport({ sessionId, runId, outcome }: EndingChild, store: Store): Promise<ChildReport> {
  const [history, calls, people] = await Promise.all([
    store.messages.list(sessionId),
    store.toolCalls.ofRun(runId),
    peopleOfRun(store, runId),
  ]);
  return {
    ...reportText(outcome, history),
    changedFiles: changedFiles(calls.flatMap(({ result }) => result?.files ?? [])),
    people: [people.requester, ...people.others],
  };
}

/** A run of a child that is to stop. */
export interface StoppedRun {
  readonly sessionId: string;
  readonly runId: string;
}

/** Asks all that descends from a run to stop; what has not begun never will. Answers the runs that go on. */
export async function stopFamily(tx: StoreTransaction, run: StoppedRun, by: string): Promise<StoppedRun[]> {
  const { ofRun } = await tx.children.family(run.sessionId, run.runId);
  const stopped: StoppedRun[] = [];
  for (const sessionId of ofRun.sessionIds) {
    const child = await tx.children.get(sessionId);
    const open = await tx.runs.open(sessionId);
    if (open === null && child !== null) await tx.inbox.takeKey(beginKey({ parent: parentOf(child) }), null);
    if (open !== null && (await tx.runs.requestCancel(open.id, by))) stopped.push({ sessionId, runId: open.id });
  }
  return stopped;
}

/** The call that a child answers. */
export function parentOf(child: { parentId: string; parentRunId: string; parentCallId: string }) {
  return { sessionId: child.parentId, runId: child.parentRunId, callId: child.parentCallId };
}

/** The runs of a session's sub-agents that go on, also of those whose parent's run has ended. */
export async function openChildren(store: Store, sessionId: string): Promise<StoppedRun[]> {
  const children = await store.children.ofSession(sessionId);
  const runs = await Promise.all(children.map(({ id }) => store.runs.open(id)));
  return runs.flatMap((run) => (run === null ? [] : [{ sessionId: run.sessionId, runId: run.id }]));
}
